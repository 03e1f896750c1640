import Animals
import CannedResponses
import Fixtures
import Foundation

/// The values that the tests of the animals expect: the bytes on the wire, and the objects that they stand for.
enum AnimalsExpectations {
    /// The bytes of a canned file, without the line break at its end.
    static func wire(_ name: String) throws -> Data {
        let data = try Data(contentsOf: CannedResponses.folder("Animals").appending(path: "\(name).json"))
        return data.last == UInt8(ascii: "\n") ? data.dropLast() : data
    }

    static let requests: [(String, RemoteRequest)] = [
        ("categories", RemoteRequest(query: [.categories])),
        ("animals", RemoteRequest(query: [.animals])),
        ("launch", RemoteRequest(query: [.categories, .animals])),
        ("add", RemoteRequest(mutation: [.addAnimal(name: "Cat", diet: .carnivorous, categoryId: "Mammal")])),
        (
            "update",
            RemoteRequest(mutation: [
                .updateAnimal(animalId: "Cat", name: "Cat", diet: .carnivorous, categoryId: "Mammal")
            ])
        ),
        ("delete", RemoteRequest(mutation: [.deleteAnimal(animalId: "Cat")])),
        ("reload", RemoteRequest(mutation: [.reloadSampleData])),
        (
            "several",
            RemoteRequest(
                query: [.animals, .categories],
                mutation: [
                    .deleteAnimal(animalId: "Cat"),
                    .addAnimal(name: robin.name, diet: .omnivorous, categoryId: "Bird"),
                ])
        ),
    ]

    static let responses: [(String, RemoteResponse)] = [
        (
            "categories",
            RemoteResponse(query: [
                .categories(categories: [.fixture(categoryId: "Bird", name: "Bird"), .fixture()])
            ])
        ),
        ("animals", RemoteResponse(query: [.animals(animals: [.fixture()])])),
        ("launch", launch),
        ("add", RemoteResponse(mutation: [.addAnimal(animal: .fixture())])),
        ("update", RemoteResponse(mutation: [.updateAnimal(animal: .fixture())])),
        ("delete", RemoteResponse(mutation: [.deleteAnimal(animal: .fixture())])),
        ("reload", RemoteResponse(mutation: [.reloadSampleData(animals: [.fixture()], categories: [.fixture()])])),
        (
            "several",
            RemoteResponse(
                query: [.animals(animals: []), .categories(categories: [])],
                mutation: [.deleteAnimal(animal: .fixture()), .addAnimal(animal: robin)])
        ),
    ]

    static let launch = RemoteResponse(query: [
        .categories(categories: [.fixture()]), .animals(animals: [.fixture()]),
    ])

    private static let robin = Animal.fixture(
        animalId: "Robin", name: "Robin \"R\" Zürich/東", diet: .omnivorous, categoryId: "Bird")
}
