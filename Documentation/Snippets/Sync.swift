import Feedback
import Foundation
import Networking
import Persistence
import Sync

struct Favourite: Codable, Sendable {
    var status: String
    var isOn: Bool
}

enum TimelineService {
    static func setFavourite(_ isOn: Bool, _ status: String) -> BackendResource<Void, City, KongAuth> { some() }
}

typealias Changes = MergeResult<Movie>

func fetch() -> SignalProducer<[Movie], CoreError> { some() }

var store: SQLiteStore<Movie> { some() }
var outbox: Outbox { some() }
var remote: PostgRESTStore<Movie> { some() }
var movie: Movie { some() }
var database: SQLiteDatabase { some() }
