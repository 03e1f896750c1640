import Presentation

/// The form of the address of a delivery.
public struct AddressForm: TextForm, Equatable {
    public enum Field: CaseIterable, Sendable {
        case recipient, street, postalCode
    }

    public var recipient = ""
    public var street = ""
    public var postalCode = ""

    public init(recipient: String = "", street: String = "", postalCode: String = "") {
        self.recipient = recipient
        self.street = street
        self.postalCode = postalCode
    }

    public func problem(in field: Field) -> String? {
        let text = trimmed(field)
        switch field {
        case .recipient:
            return text.isEmpty ? "Who is it for?" : nil
        case .street:
            if text.isEmpty { return "Which street is it?" }
            return text.contains(where: \.isNumber) ? nil : "The house number is missing."
        case .postalCode:
            if text.isEmpty { return "Which postal code is it?" }
            let isCode = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == " " || $0 == "-") }
            guard isCode, text.contains(where: \.isNumber) else { return "This is not a postal code." }
            return 3...10 ~= text.count ? nil : "A postal code has 3 to 10 letters and digits."
        }
    }

    /// Returns the address, if no field has a problem.
    public func address(in city: City) -> Address? {
        guard isComplete else { return nil }
        return Address(
            recipient: trimmed(.recipient), street: trimmed(.street), postalCode: trimmed(.postalCode).uppercased(),
            city: city.name)
    }

    public static func text(of field: Field) -> WritableKeyPath<AddressForm, String> {
        switch field {
        case .recipient: \.recipient
        case .street: \.street
        case .postalCode: \.postalCode
        }
    }
}
