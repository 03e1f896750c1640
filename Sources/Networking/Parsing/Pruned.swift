/// A list in a type that leaves out the elements that do not decode; the rest of the type stays strict.
///
/// ```swift
/// struct CitiesResponse: Decodable {
///     @Pruned var cities: [City]
///     var total: Int
/// }
/// ```
///
/// `response.$cities` has the elements that were left out; ``Parser/observingSkips(_:during:)`` reports them. Only
/// elements can be left out: a missing key, `null`, and anything that is not a list fail as they would without
/// `@Pruned`.
@propertyWrapper
public struct Pruned<Element> {
    /// The elements that could be decoded, in order.
    public var wrappedValue: [Element]
    /// The elements that decoding left out, in order; the first 10,000 of them with the reason.
    public var projectedValue: [SkippedElement]

    /// Makes a list as if it had been decoded, for fixtures and tests.
    public init(wrappedValue: [Element], skipped: [SkippedElement] = []) {
        self.wrappedValue = wrappedValue
        projectedValue = skipped
    }
}

extension Pruned: Decodable where Element: Decodable {
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        let observer = Parser.skipObserver
        var elements: [Element] = []
        var skipped: [SkippedElement] = []
        // All elements of a long list may have to be left out, so no more than 4 MB are allocated in advance.
        elements.reserveCapacity(min(container.count ?? 0, 1 + (4 << 20) / MemoryLayout<Element>.stride))
        var index = 0
        while !container.isAtEnd {
            do {
                elements.append(try container.decode(Element.self))
            } catch {
                // A failed decode does not advance the container; decoding a type that accepts anything does.
                _ = try container.decode(Anything.self)
                // An error takes hundreds of bytes, many times those of a small element, so not all are kept.
                let element =
                    skipped.count < 10_000
                    ? SkippedElement(error, at: index)
                    : SkippedElement(index: index, path: "", reason: "It was left out, as 10,000 others before it.")
                skipped.append(element)
                observer?(element)
            }
            index += 1
        }
        self.init(wrappedValue: elements, skipped: skipped)
    }

    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }
}

extension Pruned: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Pruned: Sendable where Element: Sendable {}
extension Pruned: Equatable where Element: Equatable {}
extension Pruned: Hashable where Element: Hashable {}
