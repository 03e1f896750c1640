import Foundation

/// The state that this module keeps for each thread.
@usableFromInline
final class ThreadState {
    /// The chain of the next boundary of the producer that is being started.
    @exclusivity(unchecked) var chain: Chain?

    /// The number of changes of properties that are being propagated, one inside the other.
    @exclusivity(unchecked) var propagations = 0
    /// The deliveries to observers that follow the propagation.
    @exclusivity(unchecked) var deliveries: [Delivery] = []

    /// The values to release after that.
    @exclusivity(unchecked) var replaced: [Any] = []

    /// A delivery to observers. It is a struct because an array of functions would wrap each function.
    struct Delivery {
        let deliver: @Sendable () -> Void
    }

    /// True while a task begins on this thread before its maker goes on.
    var isBeginningTask = false

    /// The objects to release.
    var released: [Any] = []
    private var isReleasing = false

    /// The number of calls of `unroll(_:)` that are under way, one inside the other.
    @exclusivity(unchecked) private var unrolled = 0
    @exclusivity(unchecked) private var waiting = Queue<Delivery>()

    @usableFromInline
    func takeChain() -> Chain? { chain.take() }

    /// Releases all of `released`, unless a call around this one is doing so.
    func releaseAll() {
        guard !isReleasing else { return }
        isReleasing = true
        while !released.isEmpty {
            // Taken out first: each goes with the array, and appends to `released` what it holds in turn.
            var batch: [Any] = []
            swap(&batch, &released)
        }
        isReleasing = false
    }

    /// Runs `action`, which may call this again. The eighth call, one inside the other, leaves further ones to a loop, so
    /// that a long row of them does not overflow the stack.
    @usableFromInline
    func unroll(_ action: @escaping @Sendable () -> Void) {
        if unrolled == 8 { return waiting.append(Delivery(deliver: action)) }
        unrolled += 1
        action()
        while unrolled == 8, let next = waiting.popFirst() { next.deliver() }
        unrolled -= 1
    }

    // MARK: - The current one

    @usableFromInline
    static var current: ThreadState {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<ThreadState>.fromOpaque(pointer).takeUnretainedValue()
        }
        let state = ThreadState()
        pthread_setspecific(key, Unmanaged.passRetained(state).toOpaque())
        return state
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        #if canImport(Darwin)
        pthread_key_create(&key) { Unmanaged<ThreadState>.fromOpaque($0).release() }
        #else
        pthread_key_create(&key) { if let pointer = $0 { Unmanaged<ThreadState>.fromOpaque(pointer).release() } }
        #endif
        return key
    }()
}
