import Foundation

/// Texts that a person types into fields, with a sentence about the problem in each.
///
/// ```swift
/// struct AddressForm: TextForm {
///     enum Field: CaseIterable, Sendable { case street, town }
///
///     var street = ""
///     var town = ""
///
///     func problem(in field: Field) -> String? { trimmed(field).isEmpty ? "It is missing." : nil }
///
///     static func text(of field: Field) -> WritableKeyPath<AddressForm, String> {
///         switch field {
///         case .street: \.street
///         case .town: \.town
///         }
///     }
/// }
///
/// var form = AddressForm()
/// form[.street] = "221B Baker Street"
/// print(form.isComplete)              // false: the town is missing
/// ```
public protocol TextForm: Sendable {
    /// The fields, in the order in which they are shown.
    associatedtype Field: CaseIterable & Sendable

    /// Returns the key path to the text of a field.
    static func text(of field: Field) -> WritableKeyPath<Self, String>

    /// Returns a sentence about the problem in a field; `nil` if there is none.
    func problem(in field: Field) -> String?
}

extension TextForm {
    /// The text of a field.
    public subscript(field: Field) -> String {
        get { self[keyPath: Self.text(of: field)] }
        set { self[keyPath: Self.text(of: field)] = newValue }
    }

    /// The text of a field without the white space around it.
    public func trimmed(_ field: Field) -> String { self[field].trimmingCharacters(in: .whitespacesAndNewlines) }

    /// True if no field has a problem.
    public var isComplete: Bool { Field.allCases.allSatisfy { problem(in: $0) == nil } }

    /// The fields as rows of a screen.
    ///
    /// - Parameters:
    ///   - showsProblems: True to show what is wrong; usually after the first attempt to send the form.
    ///   - isEnabled: True if the texts can be edited now.
    ///   - isSecret: Returns true if the text of a field is a secret, such as a password.
    ///   - edit: Makes the action that changes the text of a field.
    ///   - words: The label of a field, and an example of a text, which is shown while the field is empty.
    public func rows<Action>(
        showsProblems: Bool, isEnabled: Bool = true, isSecret: (Field) -> Bool = { _ in false },
        edit: @escaping @Sendable (Field, String) -> Action, words: (Field) -> (label: String, example: String)
    ) -> [Screen<Action>.Row] {
        Field.allCases.map { field in
            let (label, example) = words(field)
            return .field(
                label, text: self[field], placeholder: example, problem: showsProblems ? problem(in: field) : nil,
                isEnabled: isEnabled, isSecret: isSecret(field), edit: { edit(field, $0) })
        }
    }
}
