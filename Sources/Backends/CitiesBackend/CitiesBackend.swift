import Cities
import Feedback
import Foundation
import LocalBackend

/// The server of the cities, which lists them, takes orders of deliveries, and answers questions.
///
/// Several orders with the same header field `Idempotency-Key` are one delivery, to the address of the last one. It
/// remembers the last deliveries, and refuses an address to which nothing can be delivered.
public final class CitiesBackend: Sendable {
    /// The greatest number of orders that are remembered.
    private let greatestCount: Int

    /// The orders, the oldest first, and the addresses by their keys.
    private let orders = Locked<(keys: [String], addresses: [String: Address])>(([], [:]))

    /// Makes a server that remembers so many deliveries.
    public init(remembering greatestCount: Int = 1_000) { self.greatestCount = greatestCount }

    /// The addresses of the last deliveries that were ordered, the oldest order first.
    public var deliveries: [Address] {
        orders.withLock { orders in orders.keys.compactMap { orders.addresses[$0] } }
    }

    public func serve(on backend: LocalBackend) {
        backend.get("/v1/cities") { _ in
            .data(Self.cities, contentType: "application/json")
        }
        backend.post("/v1/cities/delivery") { [self] request in
            let address: Address = try request.decode()
            if let problem = address.problem { throw LocalBackend.Refusal(422, problem) }
            let key = request.headers["Idempotency-Key"] ?? UUID().uuidString
            orders.withLock { orders in
                if orders.addresses.updateValue(address, forKey: key) == nil { orders.keys.append(key) }
                if orders.keys.count > greatestCount {
                    orders.addresses[orders.keys.removeFirst()] = nil
                }
            }
            return .status(201)
        }
        backend.post("/v1/questions") { request in
            let query = try request.decode([String: String].self)["question_query"] ?? ""
            let words = Self.words(of: query)
            return .json(Self.questions.filter { !words.isDisjoint(with: Self.words(of: $0.question)) })
        }
    }

    private static func words(of text: String) -> Set<String> {
        Set(text.lowercased().split { !$0.isLetter }.map(String.init).filter { $0.count > 3 })
    }

    /// The list as real servers send it, with keys of several words, and with one element that is not a city.
    private static let cities = Data(
        """
        {
          "cities": [
            { "id": 1, "name": "London", "country": "GB", "population": 8866000, "delivery_minutes": 35 },
            { "id": 2, "name": "Zürich", "country": "CH", "population": 436332, "delivery_minutes": 25 },
            { "id": 3, "name": 17, "country": "??", "population": "many" },
            { "id": 4, "name": "東京", "country": "JP", "population": 14178000, "delivery_minutes": 50 },
            { "id": 5, "name": "São Paulo", "country": "BR", "population": 11451999 }
          ]
        }
        """.utf8)

    private static let questions = [
        Question(id: 1, question: "How long does a delivery take?", answer: "The list of cities says so."),
        Question(id: 2, question: "Do you deliver at night?", answer: "Yes, if nobody has to ring the bell."),
    ]
}
