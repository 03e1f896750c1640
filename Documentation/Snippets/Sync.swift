import Feedback
import Networking
import Persistence
import Sync

typealias Changes = MergeResult<Movie>

func fetch() -> SignalProducer<[Movie], CoreError> { some() }

var store: SQLiteStore<Movie> { some() }
var remote: PostgRESTStore<Movie> { some() }
var movie: Movie { some() }
var database: SQLiteDatabase { some() }
