import Foundation

extension RequestBody {
    /// A form of fields, as a browser sends it. Servers that give out tokens usually take one. `upload` of ``BackendSession``
    /// sends it.
    ///
    /// ```swift
    /// let body = RequestBody.form([
    ///     URLQueryItem(name: "grant_type", value: "client_credentials"), URLQueryItem(name: "scope", value: "read"),
    /// ])
    /// ```
    ///
    /// A field without a value is sent as its name alone.
    public static func form(_ fields: [URLQueryItem]) -> RequestBody {
        let pairs = fields.map { field in
            [field.name, field.value].compactMap { $0?.formEncoded }.joined(separator: "=")
        }
        return .data(Data(pairs.joined(separator: "&").utf8), contentType: "application/x-www-form-urlencoded")
    }
}

extension String {
    /// The text in a form: a space is a plus, and all but ASCII's letters, digits and `*-._` is percent-encoded (WHATWG URL, 5.2).
    fileprivate var formEncoded: String {
        var encoded = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: " "): encoded += "+"
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += (byte < 16 ? "%0" : "%") + digits
            }
        }
        return encoded
    }
}
