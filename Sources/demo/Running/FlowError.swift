import Presentation

/// A reason why a flow did not reach its end, besides those of `ScriptError`.
enum FlowError: Error, Equatable, CustomStringConvertible {
    case differentScreens(String, String)
    case leftScreensBehind(Int)

    var description: String {
        switch self {
        case let .differentScreens(one, other):
            "The screens at the end are not the same on both stores. The first is:\n\n\(one)\nThe second is:\n\n\(other)"
        case let .leftScreensBehind(count):
            "The script has ended, but the stack still holds \(count.counting("screen", "screens"))."
        }
    }
}
