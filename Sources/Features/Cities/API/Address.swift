/// The address of a delivery.
public struct Address: Codable, Equatable, Sendable {
    public var recipient: String
    public var street: String
    public var postalCode: String
    public var city: String

    public init(recipient: String, street: String, postalCode: String, city: String) {
        self.recipient = recipient
        self.street = street
        self.postalCode = postalCode
        self.city = city
    }
}

extension Address {
    /// The greatest number of letters in one of the texts.
    private static let greatestLength = 200

    /// Returns a sentence about what is wrong with a recipient; `nil` if a delivery can have it.
    public static func problem(inRecipient text: String) -> String? {
        text.allSatisfy(\.isWhitespace) ? "Who is it for?" : problem(inLengthOf: text)
    }

    /// Returns a sentence about what is wrong with a street; `nil` if a delivery can go there.
    public static func problem(inStreet text: String) -> String? {
        if text.allSatisfy(\.isWhitespace) { return "Which street is it?" }
        return text.contains(where: \.isNumber) ? problem(inLengthOf: text) : "The house number is missing."
    }

    /// Returns a sentence about what is wrong with a postal code; `nil` if it can be one.
    public static func problem(inPostalCode text: String) -> String? {
        if text.allSatisfy(\.isWhitespace) { return "Which postal code is it?" }
        let isCode = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == " " || $0 == "-") }
        guard isCode, text.contains(where: \.isNumber) else { return "This is not a postal code." }
        return 3...10 ~= text.count ? nil : "A postal code has 3 to 10 letters and digits."
    }

    /// A sentence about the first problem of the address; `nil` if something can be delivered to it.
    public var problem: String? {
        Self.problem(inRecipient: recipient) ?? Self.problem(inStreet: street)
            ?? Self.problem(inPostalCode: postalCode) ?? Self.problem(inLengthOf: city)
    }

    private static func problem(inLengthOf text: String) -> String? {
        // A letter can have any number of marks.
        text.count <= greatestLength && text.utf8.count <= greatestLength * 8
            ? nil : "This is longer than \(greatestLength) letters."
    }
}
