import Foundation

extension LocalBackend {
    /// The body of a response: bytes in memory, or bytes that are produced while they are sent.
    public enum Body: Sendable {
        /// Bytes in memory.
        case data(Data)
        /// Bytes that are produced while they are sent; `length` is their number, if it is known.
        case stream(length: Int?, @Sendable (BodyWriter) async throws -> Void)
    }

    /// Takes the bytes of a streamed body.
    public struct BodyWriter: Sendable {
        let send: @Sendable (Data) async throws -> Void

        /// Sends bytes, and returns when the connection can take more. Throws `CancellationError` once the connection
        /// is closed or the answer has ended.
        public func write(_ data: Data) async throws {
            try Task.checkCancellation()
            if !data.isEmpty { try await send(data) }
        }

        /// Sends text as UTF-8.
        public func write(_ text: String) async throws { try await write(Data(text.utf8)) }
    }
}
