import Foundation

/// Pauses a transfer while the reader of its body is slow.
///
/// The body fills up on one thread and is read on another. Calls that they made themselves could come in the wrong order, or
/// twice, and the transfer would stay paused. So they only have the queue look at the body, as it is then.
final class TransferPause: @unchecked Sendable {  // Only the queue touches `isPaused`.
    private static let queue = DispatchQueue(label: "TransferPause")

    private let body: StreamedBody
    private let change: @Sendable (Bool) -> Void
    private var isPaused = false

    /// - Parameter change: Pauses the transfer, or has it go on.
    init(of body: StreamedBody, _ change: @escaping @Sendable (_ isPaused: Bool) -> Void) {
        self.body = body
        self.change = change
    }

    /// Called when the body has become full, or was read.
    @Sendable
    func update() {
        Self.queue.async { [self] in
            guard body.isFull != isPaused else { return }
            isPaused.toggle()
            change(isPaused)
        }
    }
}
