import Foundation
import JSON

extension ParsingFailure {
    /// Makes a failure from a decoding error, with its coding path and its place in the body.
    package init(_ error: any Error, in body: Data) {
        switch error {
        case let fault as JSONFault:
            let place = fault.offset.map { JSONPlace(of: $0, in: body) }
            self.init(reason: fault.reason + (place.map { " (line \($0.line), column \($0.column))" } ?? ""))
            self.place = place.map(Place.init)
        case let error as DecodingError:
            self.init(error)
            place = JSONPlace(of: error.codingPath, in: body).map(Place.init)
        default: self.init(reason: "\(error)")
        }
    }

    /// Makes the failure of an element that was left out, without its place in the body.
    init(skipping error: any Error) {
        if let error = error as? DecodingError { self.init(error) } else { self.init(reason: "\(error)") }
    }

    fileprivate init(_ error: DecodingError) {
        let (path, description) = (error.codingPath.dotted, error.description)
        switch error {
        case .keyNotFound(let key, _):
            let hint = description.hasPrefix("No value associated") ? "" : " \(description)"
            self.init(path: path, reason: "The key \"\(key.stringValue)\" is missing.\(hint)")
        case .valueNotFound(let type, _):
            let found = description.contains("container is at end") ? "the array ends" : "found null"
            self.init(path: path, reason: "Expected \(inWords(type)), but \(found).")
        case .typeMismatch(let type, _):
            self.init(
                path: path, reason: description.replacing("decode \(type) but", with: "decode \(inWords(type)) but"))
        default:
            // JSONDecoder says no more than that about a number that does not fit, or about JSON5 that it can't read.
            let isUnexplained = description.contains("not valid JSON")
            self.init(
                path: path,
                reason: isUnexplained
                    ? "The body is malformed, or a value does not fit the type that it is read as." : description)
        }
    }
}

/// Returns the name of a type; of the types that stand for an array or an object of whatever is in it, the name in JSON.
private func inWords(_ type: Any.Type) -> String {
    let name = "\(type)"
    return switch name {
    case "Array<Any>", "UnkeyedDecodingContainer": "an array"
    case "Dictionary<String, Any>": "an object"
    default: name.hasPrefix("KeyedDecodingContainer<") ? "an object" : name
    }
}

extension ParsingFailure.Place {
    package init(_ place: JSONPlace) {
        self.init(line: place.line, column: place.column, excerpt: place.excerpt)
    }
}

extension DecodingError {
    fileprivate var context: Context? {
        switch self {
        case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    fileprivate var codingPath: [any CodingKey] { context?.codingPath ?? [] }
    fileprivate var description: String { context?.debugDescription ?? "\(self)" }
}

extension [any CodingKey] {
    /// The path in dotted form, such as `cities[2].name`.
    var dotted: String {
        reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
