import Foundation

extension ValueDecoder {
    /// Decoders of bodies that are free to be used again, with their children and containers. To make all of these would
    /// take longer than to decode a small body.
    private static let free = FreeObjects<ValueDecoder>()

    /// Calls a function with the decoder of a body's value.
    @inline(__always)
    static func withRoot<Value>(
        of body: Data, _ settings: DecodingSettings, _ decode: (ValueDecoder) throws -> Value
    ) throws -> Value {
        try body.withUnsafeBytes { raw in
            var root = takeRoot()
            defer { giveBackRoot(&root) }
            try root.context.begin(raw.bindMemory(to: UInt8.self), settings)
            return try decode(root)
        }
    }

    private static func takeRoot() -> ValueDecoder {
        free.take()
            ?? ValueDecoder(DecodingContext(JSONIndex()), reusesContainers: true)
    }

    /// Takes a decoder back for reuse, unless a type has kept it. Whoever keeps a child or a container of it keeps it, too.
    private static func giveBackRoot(_ root: inout ValueDecoder) {
        root.letGoOfContainer()
        guard isKnownUniquelyReferenced(&root) else {
            root.stay()
            root.index.copyBytes()
            return
        }
        root.context.end()
        root.forget()
        free.put(root)
    }
}
