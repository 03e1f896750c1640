import Persistence

/// A deletion that is shown before the database has carried it out.
public enum QuakeDeletion: OptimisticChange, Hashable {
    case quake(Quake.ID)
    case all

    public func apply(to quakes: inout QuakeCatalog) {
        switch self {
        case let .quake(id): quakes.remove(id)
        case .all: quakes.removeAll()
        }
    }
}
