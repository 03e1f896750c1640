/// Why a flow did not reach its end.
enum ScriptError: Error, Equatable, CustomStringConvertible {
    case neverSaw(String, screen: String)
    case noControl(String, screen: String)
    case stillFailing(String, attempts: Int)
    case leftScreensBehind(Int)
    case differentScreens(String, String)

    var description: String {
        switch self {
        case let .neverSaw(text, screen): "\"\(text)\" was never to be seen. The screen is:\n\n\(screen)"
        case let .noControl(name, screen):
            "There is nothing called \"\(name)\" that can be used. The screen is:\n\n\(screen)"
        case let .stillFailing(message, attempts): "After \(attempts) attempts there is still an error: \(message)"
        case let .differentScreens(one, other): "The screens differ. The one is:\n\n\(one)\nThe other is:\n\n\(other)"
        case let .leftScreensBehind(count): "The flow ended with \(count) screens left."
        }
    }
}
