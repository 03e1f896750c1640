/// An `Array` of values that can be decoded.
///
/// Each element is decoded directly into its place in the array. The standard library decodes arrays by way of a
/// container, which moves and copies each element.
protocol DecodableList {
    static func decode(_ decoder: ValueDecoder) throws -> Self
}

extension Array: DecodableList where Element: Decodable {
    static func decode(_ decoder: ValueDecoder) throws -> [Element] {
        let tape = decoder.index.tape
        let count = decoder.index.members(at: decoder.position)
        // With a capacity of none, the standard library writes to the storage that all empty arrays share: a data race.
        if count == 0 { return [] }
        var position = decoder.position &+ 2
        // A long list may fail at its first element, so no more than 4 MB are allocated in advance.
        let first = Swift.min(count, 1 + (4 << 20) / MemoryLayout<Element>.stride)
        var list = try Array(unsafeUninitializedCapacity: first) { elements, decoded in
            guard let start = elements.baseAddress else { return }
            while decoded < first {
                (start + decoded).initialize(to: try decoder.element(Element.self, at: position, number: decoded))
                decoded &+= 1
                position = position &+ tape[position].width
            }
        }
        for number in first..<count {
            list.append(try decoder.element(Element.self, at: position, number: number))
            position = position &+ tape[position].width
        }
        return list
    }
}

/// The type of a list, for a table of types.
struct ListType: BitwiseCopyable {
    let type: any DecodableList.Type
}
