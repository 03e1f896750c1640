import Persistence

/// For whom a movie is suitable, in the words of the Motion Picture Association.
public enum Rating: String, CaseIterable, Primitive {
    case G
    case PG
    case PG_13 = "PG-13"
    case R
    case NC_17 = "NC-17"
}

extension Rating: CustomStringConvertible {
    public var description: String { rawValue }
}
