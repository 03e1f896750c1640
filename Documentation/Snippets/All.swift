// Names that the code in doc comments uses without saying where they come from. It is compiled with that code, never run.

import Feedback
import Foundation
import LocalBackend
import Networking
import Persistence
import Presentation

func some<Value>(_ type: Value.Type = Value.self) -> Value { fatalError() }
func show(_ value: Any) {}
func render(_ value: Any) {}

enum Rating: String, Primitive, Codable { case G, PG, PG_13 = "PG-13", R, NC_17 = "NC-17" }

struct Movie: Identifiable, Equatable, Codable, Sendable {
    var id = 0
    var title = ""
    var rating = Rating.G
    var budget = 0
    var year: Int?
    var version = 0

    static let schema = Schema<Movie>(
        "movies", Movie.init, Column("id", \.id), Column("title", \.title), Column("rating", \.rating),
        Column("budget", \.budget), Column("year", \.year), Column("version", \.version))
}

struct City: Identifiable, Equatable, Codable, Sendable {
    var id = 0
    var name = ""
}

struct Address: Equatable, Codable, Sendable { var street = "" }

enum ApiError: Error, Equatable, ExpressibleByCancellation { case notFound, cancelled }

struct API: Sendable {
    struct Request: Sendable { func cancel() {} }

    func messages() -> SignalProducer<String, ApiError> { some() }
    func cities() -> SignalProducer<[City], ApiError> { some() }
    func cities() async throws(ApiError) -> [City] { some() }
    func fetch() -> SignalProducer<[City], ApiError> { some() }
    func fetchCity(_ id: City.ID) -> SignalProducer<City, ApiError> { some() }
    func search(_ query: String) -> SignalProducer<[City], ApiError> { some() }
    func save(_ draft: Draft) -> SignalProducer<Receipt, ApiError> { some() }
    func request(_ path: String, _ answer: @escaping @Sendable (City) -> Void) -> Request { some() }
}

struct Draft: Sendable {}
struct Receipt: Sendable {}

var api: API { some() }
var cities: [City] { some() }
var city: City { some() }
var body: Data { some() }
var data: Data { some() }
var photo: URL { some() }
var path: String { some() }
var backend: LocalBackend { some() }
var scheduler: any DateScheduler { some() }
var accessible: BackendSession { some() }
var session: BackendSession { some() }
var connectivity: Property<Bool> { some() }

// MARK: - A feature

struct CitiesResponse: Equatable, Decodable, Sendable { var cities: [City] = [] }

extension CitiesResponse { static func fixture() -> CitiesResponse { some() } }
extension City { static func fixture(id: Int = 1) -> City { some() } }

enum CitiesService {
    static func fetchCities() -> BackendResource<Void, CitiesResponse, KongAuth> { some() }
    static func requestDelivery() -> BackendResource<Address, Void, KongAuth> { some() }
}

enum VersionService {
    static func fetchVersion() -> BackendResource<Void, String, NoAuth> { some() }
}

protocol CitiesBusinessControllerProtocol: Sendable {
    func fetchCities() -> SignalProducer<CitiesResponse, CoreError>
    func requestDelivery(to address: Address) -> SignalProducer<Never, CoreError>
}

struct CitiesViewModel: ViewModel {
    struct State: Equatable, Sendable {}
    enum Action: Equatable, Sendable { case refresh, choose(City.ID) }
    enum Event: ActionEvent, Equatable { case ui(Action) }
    enum Route: Equatable, Sendable { case deliver(City) }

    let businessController: any CitiesBusinessControllerProtocol

    var initial: State { State() }
    static func reduce(_ state: inout State, _ event: Event) {}
    static func route(_ event: Event, _ state: State) -> Route? { nil }
}

struct CitiesRenderer: Renderer {
    func render(_ state: CitiesViewModel.State) -> Screen<CitiesViewModel.Action> { some() }
}

var controller: any CitiesBusinessControllerProtocol { some() }
