import Fixtures
import Testing

@testable import Cities

struct AddressFormTests {
    @Test("A complete form gives an address without space around it, and with the code in capitals")
    func address() {
        let form = AddressForm.fixture(
            recipient: " Sherlock Holmes\n", street: "221B Baker Street ", postalCode: " nw1 6xe")
        #expect(form.address(in: .fixture()) == .fixture())
    }

    @Test(
        "A field that is empty, or nothing but space, is a problem", arguments: AddressForm.Field.allCases,
        ["", "  \t"])
    func empty(field: AddressForm.Field, text: String) {
        var form = AddressForm.fixture()
        form[field] = text
        #expect(form.problem(in: field) != nil)
        #expect(form.address(in: .fixture()) == nil)
    }

    @Test("A street needs a number")
    func street() {
        #expect(
            AddressForm.fixture(street: "Baker Street").problem(in: .street) == "The house number is missing.")
    }

    @Test(
        "A postal code is 3 to 10 letters and digits, with a digit",
        arguments: [
            ("NW1 6XE", true), ("8001", true), ("100-0001", true), ("123", true), ("12", false), ("12345678901", false),
            ("ABC", false), ("<1234>", false), ("１２３", false),
        ])
    func postalCode(code: String, isValid: Bool) {
        #expect((AddressForm.fixture(postalCode: code).problem(in: .postalCode) == nil) == isValid)
    }
}
