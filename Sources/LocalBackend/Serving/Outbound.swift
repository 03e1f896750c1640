import Foundation

/// Bytes on their way out, in order.
struct Outbound {
    private var portions: [Data] = []
    /// The number of bytes of the first portion that are gone already.
    private var offset = 0
    /// The number of bytes that wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ data: Data) {
        guard !data.isEmpty else { return }
        portions.append(data)
        count += data.count
    }

    /// Passes the first waiting bytes to `send`, which returns the number of bytes that it took, or `nil` if it failed.
    mutating func drain(_ send: (UnsafeRawBufferPointer) -> Int?) -> Int? {
        guard let first = portions.first else { return 0 }
        let sent = first.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
        guard let sent else { return nil }
        count -= sent
        offset += sent
        if offset == first.count {
            portions.removeFirst()
            offset = 0
        }
        return sent
    }
}
