#if canImport(SwiftUI)
import Feedback
import SwiftUI

extension LiveViewModel {
    /// Makes a binding that shows a part of the state, and takes an action for each new value.
    ///
    /// ```swift
    /// struct NameField: View {
    ///     let profile: LiveViewModel<ProfileViewModel>
    ///     let state: Observed<ProfileViewModel.State>
    ///
    ///     var body: some View { TextField("Name", text: profile.binding(state, \.name) { .rename($0) }) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - state: The state as the view reads it, see ``observed(on:)``.
    ///   - part: The part. The view is drawn again when it changes.
    ///   - action: Makes the action of a new value.
    @MainActor
    public func binding<Part: Equatable & Sendable>(
        _ state: Observed<Model.State>, _ part: KeyPath<Model.State, Part> & Sendable,
        _ action: @escaping @Sendable (Part) -> Model.Action
    ) -> Binding<Part> {
        Binding(get: { state[dynamicMember: part] }, set: { [weak self] in self?.send(action($0)) })
    }
}
#endif
