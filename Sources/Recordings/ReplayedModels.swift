import Feedback
import Presentation

/// The models that begin on the screens of a replay, and the events that they reduce.
final class ReplayedModels: Sendable {
    struct Model: Sendable {
        let id: Int
        let name: String
        let isScreen: Bool
        let state: any Sendable
        fileprivate var events = Queue<Reduced>()
    }

    struct Reduced: Sendable {
        let event: any Sendable
        let source: EventSource
        let state: any Sendable
    }

    /// The models, in the order in which they began.
    private let models = Locked<[Model]>([])

    /// Records the models and their events from now on. Screens that are on the stack already are not those of the
    /// recording.
    func follow(_ screens: ScreenStack) -> any Disposable {
        let earlier = Set(screens.screens.map(\.id))
        return screens.steps.startWithValues { [weak self] step in
            if !earlier.contains(step.id) { self?.note(step) }
        }
    }

    private func note(_ step: ScreenStack.Step) {
        models.withLock { models in
            switch step.step {
            case let .initial(state, _):
                models.append(Model(id: step.id, name: step.name, isScreen: step.look != nil, state: state))
            case let .reduced(event, source, state):
                guard let index = models.lastIndex(where: { $0.id == step.id }) else { return }
                models[index].events.append(Reduced(event: event, source: source, state: state))
            case .started, .ended, .withdrawn:
                break
            }
        }
    }

    /// The model with a number, from 1; `nil` if it has not begun.
    subscript(number: Int) -> Model? {
        models.withLock { number > 0 && number <= $0.count ? $0[number - 1] : nil }
    }

    /// Returns true if the screen of a model is no longer on the stack.
    func hasLeft(_ number: Int, _ screens: ScreenStack) -> Bool {
        guard let model = self[number], model.isScreen else { return false }
        return !screens.screens.contains { $0.id == model.id }
    }

    /// Takes the oldest event of a model that was not taken yet.
    func nextEvent(of number: Int) -> Reduced? {
        models.withLock { models in
            guard number > 0, number <= models.count else { return nil }
            return models[number - 1].events.popFirst()
        }
    }
}
