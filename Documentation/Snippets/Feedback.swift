import Feedback
import Foundation

struct State: Equatable, Sendable {
    struct Animal: Equatable, Sendable {
        enum Category: Sendable { case bird }

        var category = Category.bird
        var name = ""
    }

    var title = ""
    var isLoading = false
    var query = ""
    var words: Set<String> = []
    var wantedPage: Int?
    var draft = ""
    var editor = Editor.State()
    var animals: [Int: Animal] = [:]
    var visibleAnimals: [Animal] { some() }
    var revision = 0
    var filter = ""
}

enum Event: Equatable, Sendable {
    case refresh, didChange, didLoad([City]), didFail(ApiError), didFind([City]), didChangeConnectivity(Bool)
    case ui(Action), editor(Editor.Event)

    enum Action: Equatable { case save }

    var isAboutAnimals: Bool { some() }
}

enum Editor {
    struct State: Equatable, Sendable {}
    enum Event: Equatable, Sendable {}

    static let reduce: Reducer<State, Event> = { _, _ in }
    static func whenSaving(_ api: API) -> Feedback<State, Event> { some() }
}

enum App {
    static let reduce: Reducer<State, Event> = { _, _ in }
}

@Sendable func reduce(_ state: inout State, _ event: Event) {}
func whenLoading(api: API) -> Feedback<State, Event> { some() }
func render(_ state: State, _ animals: [State.Animal]) {}
func describe(_ revision: Int, _ filter: String) -> String { some() }

struct Library: Sendable {
    enum Event { case save(String) }

    func send(_ event: Event) {}
}

var library: Library { some() }
var loop: FeedbackLoop<State, Event> { some() }

// MARK: - Views

struct CitiesState: Sendable { var title = "" }
enum CitiesEvent: Sendable { case refresh }

@MainActor final class Label { var text: String? }
struct Spinner: Sendable { var isVisible: BindingTarget<Bool> { some() } }
struct TextField: Sendable { var texts: Signal<String, NoError> { some() } }

@MainActor final class CityCard { let title = Label() }
@MainActor final class TitleView: ReactiveExtensionsProvider {
    let title = Label()
    var lifetime: Lifetime { some() }
}
var label: Label { some() }
var lifetime: Lifetime { some() }
var view: CityCard? { some() }
var spinner: Spinner { some() }
var textField: TextField { some() }

// MARK: - Streams

struct Message: Sendable { var room = "" }
struct PriceFeed: Sendable { func prices() -> SignalProducer<Int, NoError> { some() } }

enum NameError: Error, Equatable { case empty }

extension Notification.Name { static let didLogIn = Notification.Name("didLogIn") }

var center: NotificationCenter { some() }
var name: Property<String> { some() }
var password: MutableProperty<String> { some() }
var isOnline: Property<Bool> { some() }
var isValid: Property<Bool> { some() }
var draft: Draft { some() }
var events: Signal<Message, NoError> { some() }
var states: SignalProducer<State, NoError> { some() }
var names: SignalProducer<String, NoError> { some() }
var ages: SignalProducer<Int, NoError> { some() }
var request: SignalProducer<City, ApiError> { some() }
var feed: PriceFeed { some() }
