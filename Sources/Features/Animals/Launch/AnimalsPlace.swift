/// The place where animals are kept. An app chooses it once, when it is launched.
public enum AnimalsPlace: CaseIterable, Sendable {
    case thisMachine, server

    /// The name by which a person chooses it.
    public var name: String {
        switch self {
        case .thisMachine: "On this machine"
        case .server: "On the server"
        }
    }
}
