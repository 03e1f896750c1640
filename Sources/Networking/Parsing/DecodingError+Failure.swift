import Foundation

extension ParsingFailure {
    /// The failure in words, with its coding path; where the decoder does not say why, the body is looked at again.
    init(_ error: any Error, in data: Data) {
        self.init(error) { JSONDiagnosis.reason(for: data) }
    }

    fileprivate init(_ error: any Error, whenNotJSON diagnose: () -> String) {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            let hint = context.debugDescription.hasPrefix("No value associated") ? "" : " \(context.debugDescription)"
            self.init(path: context.codingPath.dotted, reason: "The key \"\(key.stringValue)\" is missing.\(hint)")
        case DecodingError.valueNotFound(let type, let context):
            self.init(path: context.codingPath.dotted, reason: "Expected \(type), but found null.")
        case DecodingError.typeMismatch(_, let context):
            self.init(path: context.codingPath.dotted, reason: context.debugDescription)
        case DecodingError.dataCorrupted(let context):
            let isUnexplained = context.debugDescription.contains("not valid JSON")
            self.init(path: context.codingPath.dotted, reason: isUnexplained ? diagnose() : context.debugDescription)
        default:
            self.init(reason: "\(error)")
        }
    }
}

extension SkippedElement {
    init(_ error: any Error, at index: Int) {
        let failure = ParsingFailure(error) { "A value does not fit the type that it is read as." }
        self.init(index: index, path: failure.path, reason: failure.reason)
    }
}

extension [any CodingKey] {
    /// As a person would write it: `cities[2].name`.
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
