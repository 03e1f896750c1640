/// A change that a ``Store`` is asked to make, as a value.
public enum StoreChange<Object: Identifiable & Sendable>: Sendable {
    /// Adds all objects, or none if one exists already.
    case insert([Object])
    /// Replaces all objects, or none if one is missing.
    case update([Object])
    /// Adds or replaces all objects.
    case upsert([Object])
    /// Removes those objects that exist.
    case delete([Object])

    public var objects: [Object] {
        switch self {
        case .insert(let objects), .update(let objects), .upsert(let objects), .delete(let objects): objects
        }
    }
}

extension StoreChange: Equatable where Object: Equatable {}
