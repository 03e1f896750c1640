import Foundation
import JSON

/// Decodes the value under a path of keys, in the same pass as the value itself.
struct Keyed<Value: Decodable>: DecodableWithConfiguration {
    let value: Value

    init(from decoder: any Decoder, configuration path: KeyPathComponents) throws {
        var container = try decoder.container(keyedBy: AnyKey.self)
        for parent in path.parents {
            container = try container.nestedContainer(keyedBy: AnyKey.self, forKey: container.key(named: parent))
        }
        value = try container.decode(Value.self, forKey: container.key(named: path.key))
    }
}

/// The keys of a path such as `"data.cities"`. A dot or backslash that is part of a key has a backslash before it.
struct KeyPathComponents {
    let parents: [String]
    let key: String

    init(_ path: String) {
        var keys = [""]
        var rest = Substring(path)
        while let character = rest.popFirst() {
            switch (character, rest.first) {
            case ("\\", "."), ("\\", "\\"): keys[keys.count - 1].append(rest.removeFirst())
            case (".", _): keys.append("")
            default: keys[keys.count - 1].append(character)
            }
        }
        key = keys.removeLast()
        parents = keys
    }
}

/// A key of any name.
struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) { (stringValue, intValue) = (name, nil) }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}

extension KeyedDecodingContainer<AnyKey> {
    /// Returns the key as it was sent, or as the decoder's key strategy converts it: `"city_list"` also finds
    /// `cityList`.
    fileprivate func key(named name: String) throws -> AnyKey {
        let key = AnyKey(name)
        if contains(key) { return key }
        let camelCased = AnyKey(SnakeCase.camelCased(name))
        if contains(camelCased) { return camelCased }
        let found = allKeys.map { "\"\($0.stringValue)\"" }.sorted().prefix(10).joined(separator: ", ")
        throw DecodingError.keyNotFound(
            key,
            .init(
                codingPath: codingPath,
                debugDescription: found.isEmpty ? "The object is empty." : "The object has \(found)."
            )
        )
    }
}
