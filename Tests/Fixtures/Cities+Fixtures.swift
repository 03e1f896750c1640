import Cities
import Networking

extension City {
    public static func fixture(
        number: Int? = 1, name: String = "London", country: String? = "GB", population: Int? = 8_866_000,
        deliveryMinutes: Int? = 35
    ) -> City {
        City(number: number, name: name, country: country, population: population, deliveryMinutes: deliveryMinutes)
    }
}

extension Address {
    public static func fixture(
        recipient: String = "Sherlock Holmes", street: String = "221B Baker Street", postalCode: String = "NW1 6XE",
        city: String = "London"
    ) -> Address {
        Address(recipient: recipient, street: street, postalCode: postalCode, city: city)
    }
}

extension AddressForm {
    public static func fixture(
        recipient: String = "Sherlock Holmes", street: String = "221B Baker Street", postalCode: String = "NW1 6XE"
    ) -> AddressForm {
        AddressForm(recipient: recipient, street: street, postalCode: postalCode)
    }
}

extension Question {
    public static func fixture(
        id: Int = 1, question: String = "How long does a delivery take?", answer: String = "The list of cities says so."
    ) -> Question {
        Question(id: id, question: question, answer: answer)
    }
}

extension CitiesResponse {
    public static func fixture(cities: [City] = [.fixture()], skipped: [SkippedElement] = []) -> CitiesResponse {
        CitiesResponse(cities: cities, skipped: skipped)
    }
}
