import Foundation

/// Bytes on their way out, in order.
struct Outbound {
    private var portions: ArraySlice<Data> = []
    private static let smallPortion = 16_384

    /// The number of bytes of the first portion that are gone already.
    private var offset = 0
    /// The number of bytes that wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ data: Data) {
        guard !data.isEmpty else { return }
        count += data.count
        // A small portion joins the one before it: each portion takes a call of the system.
        if let last = portions.indices.last, portions[last].count + data.count <= Outbound.smallPortion {
            portions[last].append(data)
        } else {
            portions.append(data)
        }
    }

    /// Passes the first waiting bytes to `send`, which returns the number of bytes that it took, or `nil` if it failed.
    mutating func drain(_ send: (UnsafeRawBufferPointer) -> Int?) -> Int? {
        guard let first = portions.first else { return 0 }
        let sent = first.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
        guard let sent else { return nil }
        count -= sent
        offset += sent
        if offset == first.count {
            // Emptied first, since the slice's array keeps what is before the slice.
            portions[portions.startIndex] = Data()
            _ = portions.popFirst()
            offset = 0
        }
        return sent
    }
}
