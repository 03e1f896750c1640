import Foundation

extension FileHandle {
    /// Waits for more bytes; empty at the end.
    ///
    /// `availableData` traps when a signal interrupts it.
    public func more() -> Data {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(fileDescriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            return Data(bytes.prefix(max(0, count)))
        }
    }
}
