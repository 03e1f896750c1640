/// The way in which a stream of streams becomes one stream of their values.
///
/// With all of them a failure, of the outer stream or of an inner one that counts, is the end of the whole; so is an
/// interruption of the outer one. The whole completes when the outer stream and all inner ones that count have
/// completed.
///
/// Streams of streams that are nested in each other, as in `s.flatMap(…).flatMap(…)` and so on, take about a kilobyte of
/// the stack each when they deliver: 300 in a row fit on a stack of 512 KB. An inner stream that delivers many values at
/// once can be cut off only if each of them is delivered before the next is made.
public struct FlattenStrategy: Sendable, Equatable {
    @usableFromInline
    enum Kind: Sendable, Equatable {
        case concurrent(limit: UInt)
        case latest
        case race
        case throttle
    }

    @usableFromInline let kind: Kind

    /// All inner streams at once, each started when it comes. The interruption of one counts as its completion.
    public static let merge = FlattenStrategy(kind: .concurrent(limit: .max))

    /// One inner stream after the other: what comes meanwhile waits. The interruption of one counts as its completion.
    public static let concat = FlattenStrategy(kind: .concurrent(limit: 1))

    /// At most `limit` inner streams at once: what comes meanwhile waits. The interruption of one counts as its
    /// completion.
    public static func concurrent(limit: UInt) -> FlattenStrategy {
        precondition(limit > 0, "concurrent(limit:) needs a limit greater than zero.")
        return FlattenStrategy(kind: .concurrent(limit: limit))
    }

    /// The latest inner stream only: each one that comes disposes the one before it, of which nothing is delivered from
    /// then on. The interruption of the latest counts as its completion.
    public static let latest = FlattenStrategy(kind: .latest)

    /// Only the inner stream that is the first to deliver anything: all others are disposed then, and none is started
    /// after it. Its interruption is the end of the whole.
    public static let race = FlattenStrategy(kind: .race)

    /// The first inner stream. Those that come before it has completed are dropped; then the next one that comes is
    /// started, and so on. Its interruption is the end of the whole.
    public static let throttle = FlattenStrategy(kind: .throttle)

    /// True if the interruption of an inner stream is the end of the whole.
    @inlinable
    var passesInterruption: Bool { kind == .race || kind == .throttle }
}
