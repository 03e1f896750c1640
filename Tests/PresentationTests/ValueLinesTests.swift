import Foundation
import Presentation
import Testing

@Suite("A value as lines")
struct ValueLinesTests {
    private struct Account {
        var name = "Ada"
        var password = "hunter2"
        var cities = ["London", "Paris"]
    }

    private enum Field { case name, password }

    private enum Event {
        case edit(Field, String)
        case password(String, times: Int)
        case load([String: Int])
    }

    private func lines(_ value: Any, isSecret: @escaping (String) -> Bool) -> [String] {
        var names = IdentifierNames()
        return ValueLines(ValueTree(value), names: &names, isSecret: isSecret).lines.map(\.description)
    }

    private func lines(_ value: Any) -> ValueLines {
        var names = IdentifierNames()
        return ValueLines(ValueTree(value), names: &names)
    }

    @Test("Each part is a line with its path; elements have their numbers in brackets")
    func paths() {
        #expect(
            lines(Account()).lines.map(\.description) == [
                "Account", "name: \"Ada\"", "password: \"hunter2\"", "cities: [2]", "cities[0]: \"London\"",
                "cities[1]: \"Paris\"",
            ])
        #expect(lines(Account()).byPath["cities[1]"] == "\"Paris\"")
    }

    @Test("The part with the name of a secret is not shown, nor are its parts")
    func secretParts() {
        #expect(
            lines(Account()) { $0 == "password" || $0 == "cities" } == [
                "Account", "name: \"Ada\"", "password: <redacted>", "cities: [2]", "cities[0]: <redacted>",
                "cities[1]: <redacted>",
            ])
    }

    @Test("Neither the values of a case with the name of a secret are shown, nor those that stand beside such a case")
    func secretCases() {
        let isSecret = { (name: String) in name == "password" }
        #expect(
            lines(Event.password("hunter2", times: 3), isSecret: isSecret)
                == [".password", "[0]: <redacted>", "times: <redacted>"])
        #expect(
            lines(Event.edit(.password, "hunter2"), isSecret: isSecret)
                == [".edit", "[0]: .password", "[1]: <redacted>"])
        #expect(lines(Event.edit(.name, "Ada"), isSecret: isSecret) == [".edit", "[0]: .name", "[1]: \"Ada\""])
        #expect(
            lines((Field.password, "hunter2"), isSecret: isSecret) == ["()", "[0]: .password", "[1]: <redacted>"])
    }

    @Test("The values beside a secret case in a struct or a list are shown")
    func besideSecrets() {
        struct Focus {
            var field = Field.password
            var city = "London"
        }
        #expect(
            lines(Focus()) { $0 == "password" } == ["Focus", "field: .password", "city: \"London\""])
    }

    @Test("A dictionary that is hidden does not show its keys")
    func hiddenKeys() {
        #expect(
            lines(Event.load(["key of Ada": 1])) { $0 == "load" } == [".load", "[0]: [1:]", "[0][0]: <redacted>"])
    }

    // MARK: - Differences

    @Test("A difference has the new and the changed lines and the paths that are gone, and can be applied")
    func differences() {
        var account = Account()
        let before = lines(account)
        #expect(before.difference(from: before).isEmpty)

        account.name = "Grace"
        account.cities.append("Rome")
        let grown = lines(account)
        let growth = grown.difference(from: before)
        #expect(growth.description == "name: \"Grace\"\ncities: [3]\ncities[2]: \"Rome\"")
        #expect(!growth.isEmpty)
        #expect(before.applying(growth) == grown)

        account.cities = []
        let shrunk = lines(account).difference(from: grown)
        #expect(shrunk.removed == ["cities[0]", "cities[1]", "cities[2]"])
        #expect(grown.applying(shrunk) == lines(account))
        #expect(!ValueLines.Difference(removed: ["cities"]).isEmpty)
        #expect("\(ValueLines.Difference(removed: ["cities"]))" == "cities: removed")
    }

    // MARK: - Identifiers

    @Test("UUIDs are called by the order in which they appear, in lower or upper case, wherever they stand")
    func identifiers() throws {
        let first = "0F8FAD5B-D9CB-469F-A165-70867728950E"
        let second = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
        var names = IdentifierNames()
        #expect(names.replacing(in: first) == "UUID 1")
        #expect(
            names.replacing(in: "a \(second), \(first.lowercased()) and \(second)") == "a UUID 2, UUID 1 and UUID 2")
        for other in [
            String(first.dropLast()), first.replacing("-", with: "0"), first.replacing("F", with: "G"),
            first.replacing("5B-D", with: "5-BD"), "short", "a longer text in which there is no identifier",
        ] {
            #expect(names.replacing(in: other) == other)
        }
    }
}
