/// The address of a delivery as far as it is typed in.
public struct AddressForm: Equatable, Sendable {
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

    public subscript(field: Field) -> String {
        get { self[keyPath: Self.keyPath(to: field)] }
        set { self[keyPath: Self.keyPath(to: field)] = newValue }
    }

    /// What is wrong with a field, as a sentence; `nil` if nothing is.
    public func problem(in field: Field) -> String? {
        let text = trimmed(field)
        switch field {
        case .recipient:
            return text.isEmpty ? "Who is it for?" : nil
        case .street:
            if text.isEmpty { return "Which street is it?" }
            return text.contains(where: \.isNumber) ? nil : "The number of the house is missing."
        case .postalCode:
            if text.isEmpty { return "Which postal code is it?" }
            let isCode = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == " " || $0 == "-") }
            guard isCode, text.contains(where: \.isNumber) else { return "That is no postal code." }
            return 3...10 ~= text.count ? nil : "A postal code has 3 to 10 letters and digits."
        }
    }

    /// The address, if nothing is wrong with any field.
    public func address(in city: City) -> Address? {
        guard Field.allCases.allSatisfy({ problem(in: $0) == nil }) else { return nil }
        return Address(
            recipient: trimmed(.recipient), street: trimmed(.street), postalCode: trimmed(.postalCode).uppercased(),
            city: city.name)
    }

    private func trimmed(_ field: Field) -> String {
        let text = self[field].drop(while: \.isWhitespace)
        return String(text.reversed().drop(while: \.isWhitespace).reversed())
    }

    private static func keyPath(to field: Field) -> WritableKeyPath<AddressForm, String> {
        switch field {
        case .recipient: \.recipient
        case .street: \.street
        case .postalCode: \.postalCode
        }
    }
}
