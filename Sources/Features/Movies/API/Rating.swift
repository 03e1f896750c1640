import Persistence

/// The rating of a movie by the Motion Picture Association.
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
