import Persistence

/// The kind of story that a movie tells.
public enum Genre: String, CaseIterable, Primitive {
    case adventure
    case animation
    case comedy
    case crime
    case drama
    case horror
    case romance
    case scienceFiction = "science fiction"
    case thriller
}

extension Genre: CustomStringConvertible {
    public var description: String { rawValue }
}
