import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("Random graphs of properties, changed and extended by several threads", .timeLimit(.minutes(10)), .onOwnThread)
struct PropertyGraphTests {
    /// A property, and its value as it is defined by the values of the sources.
    struct Node: Sendable {
        let property: Property<Int>
        let defined: @Sendable () -> Int
        /// True if the value never gets smaller, as those of the sources do not.
        let onlyGrows: Bool
        let depth: Int
    }

    /// The sources, and the properties that were made of them so far.
    final class Graph: Sendable {
        let sources = (0..<4).map { _ in MutableProperty(0) }
        let nodes: Locked<[Node]>

        init() {
            nodes = Locked([])
            nodes.withLock { [sources] nodes in
                nodes = sources.map { source in
                    Node(property: Property(source), defined: { source.value }, onlyGrows: true, depth: 0)
                }
            }
        }

        /// Makes a property of one, two or three of those that there are.
        func grow(_ random: inout SeededNumbers) -> Node {
            let known = nodes.withLock { nodes in nodes.filter { $0.depth < 6 } }
            func pick() -> Node { known[Int.random(in: 0..<known.count, using: &random)] }
            let (a, b, c) = (pick(), pick(), pick())
            let depth = max(a.depth, b.depth, c.depth) + 1
            let node: Node
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                node = Node(
                    property: a.property.map { $0 + 1 }, defined: { a.defined() + 1 }, onlyGrows: a.onlyGrows,
                    depth: depth)
            case 1:
                node = Node(
                    property: a.property.skipRepeats().map { $0 / 2 }, defined: { a.defined() / 2 },
                    onlyGrows: a.onlyGrows, depth: depth)
            case 2:
                node = Node(
                    property: a.property.combineLatest(with: b.property).map { ($0.0 &+ $0.1) / 2 },
                    defined: { (a.defined() &+ b.defined()) / 2 }, onlyGrows: a.onlyGrows && b.onlyGrows, depth: depth)
            case 3:
                node = Node(
                    property: Property.combineLatest([a.property, b.property, c.property], emptySentinel: [])
                        .map { $0.reduce(0, &+) / 3 },
                    defined: { (a.defined() &+ b.defined() &+ c.defined()) / 3 },
                    onlyGrows: a.onlyGrows && b.onlyGrows && c.onlyGrows, depth: depth)
            case 4:
                node = Node(
                    property: Property.combineLatest(a.property, b.property, c.property).map { max($0, $1, $2) },
                    defined: { max(a.defined(), b.defined(), c.defined()) },
                    onlyGrows: a.onlyGrows && b.onlyGrows && c.onlyGrows, depth: depth)
            case 5:
                // The inner property is made anew for each value.
                node = Node(
                    property: a.property.flatMap(.latest) { number in b.property.map { ($0 &+ number) / 2 } },
                    defined: { (a.defined() &+ b.defined()) / 2 }, onlyGrows: a.onlyGrows && b.onlyGrows, depth: depth)
            default:
                node = Node(
                    property: a.property.flatMap(.latest) { $0 % 2 == 0 ? b.property : c.property },
                    defined: { a.defined() % 2 == 0 ? b.defined() : c.defined() }, onlyGrows: false, depth: depth)
            }
            nodes.withLock { nodes in
                // Not too many, so that each change takes its way through few.
                if nodes.count >= 24 { nodes.remove(at: 4 + Int.random(in: 0..<8, using: &random)) }
                nodes.append(node)
            }
            return node
        }
    }

    @Test(
        "Each property, and the last value that an observer got, is as it is defined",
        arguments: 0..<8 as Range<UInt64>)
    func random(seed: UInt64) async {
        let graph = Graph()
        let made = Locked<[(Node, Shared<Int?>)]>([])
        let observations = CompositeDisposable()
        let older = Log<String>()
        await onThreads(4) { thread in
            var random = SeededNumbers(seed: seed &* 64 &+ UInt64(thread))
            for step in 1...250 {
                let kind = Int.random(in: 0..<8, using: &random)
                if kind < 5 || thread == 0 {
                    graph.sources[thread].value = step
                } else if kind == 5 {
                    let node = graph.grow(&random)
                    let last = Shared<Int?>(nil)
                    if Bool.random(using: &random) {
                        observations += node.property.producer.startWithValues { last.value = $0 }
                    }
                    made.withLock { $0.append((node, last)) }
                } else {
                    let nodes = graph.nodes.withLock { $0 }
                    let node = nodes[Int.random(in: 0..<nodes.count, using: &random)]
                    guard node.onlyGrows else { continue }
                    let least = node.defined()
                    let value = node.property.value
                    if value < least { older.add("\(value) instead of \(least), at depth \(node.depth)") }
                }
            }
        }
        #expect(older.entries.isEmpty)
        let all = made.withLock { $0 }
        let wrong = all.filter { $0.0.property.value != $0.0.defined() }
        #expect(wrong.isEmpty, "\(wrong.count) of \(all.count) are not as defined.")
        let unheard = all.filter { pair in pair.1.value.map { $0 != pair.0.defined() } ?? false }
        #expect(unheard.isEmpty, "\(unheard.count) observers of \(all.count) have another last value.")
        observations.dispose()
    }
}

/// Random numbers that are the same for the same seed.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
