import Feedback
import Networking
import Persistence

/// An error of a store of animals.
public enum AnimalsError: Error, Equatable, Sendable {
    /// The answer has no list of categories, although the request asked for it.
    case categoriesNotFound
    /// The answer has no list of animals, although the request asked for it.
    case animalsNotFound
    /// The answer does not have the animal that was added, updated or deleted.
    case animalNotFound
    /// The answer does not have the reloaded sample data.
    case sampleDataNotFound
    /// The store has no such animal, or no longer has it.
    case unknownAnimal(Animal.ID)
    /// The store has no such category.
    case unknownCategory(Category.ID)
    /// The server understood the request and refused it, for this reason.
    case refused(status: Int, reason: String)
    /// The server gave no usable answer: the URL or the request was wrong, the network failed, or the answer could not be read.
    case remote(CoreError)
    /// The database failed.
    case local(StoreError)
}

extension AnimalsError {
    /// Reads the server's explanation of a failed request, if it has sent one.
    init(_ error: CoreError) {
        guard case let .status(failure) = error, 400..<500 ~= failure.code,
            let explained = failure.body(as: RemoteFailure.self)
        else {
            self = .remote(error)
            return
        }
        self =
            if let id = explained.animalId {
                .unknownAnimal(id)
            } else if let id = explained.categoryId {
                .unknownCategory(id)
            } else {
                .refused(status: failure.code, reason: explained.reason)
            }
    }
}

extension AnimalsError: ExpressibleByCancellation {
    public static var cancelled: AnimalsError { .remote(.cancelled) }
}

extension AnimalsError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .categoriesNotFound:
            "The answer holds no categories. Check that the address is that of a server of animals."
        case .animalsNotFound: "The answer holds no animals. Check that the address is that of a server of animals."
        case .animalNotFound: "The answer does not hold the animal. Refresh to see what has become of it."
        case .sampleDataNotFound: "The answer does not hold the sample data. Refresh to see what the server has."
        case let .unknownAnimal(id): "There is no animal \(id); perhaps somebody else has deleted it. Refresh to see."
        case let .unknownCategory(id): "The category \(id) does not exist. Choose another one."
        case let .refused(_, reason): "The server refused: \(reason)"
        case let .remote(error): "\(error)"
        case let .local(error): "\(error)"
        }
    }
}
