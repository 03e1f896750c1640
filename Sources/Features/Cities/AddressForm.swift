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
        return switch field {
        case .recipient: Address.problem(inRecipient: text)
        case .street: Address.problem(inStreet: text)
        case .postalCode: Address.problem(inPostalCode: text)
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
