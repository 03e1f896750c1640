import Canned
import Feedback
import Foundation
import Networking
import Presentation

/// Records the use of a flow.
///
/// ```swift
/// let recorder = Recorder(features: ["cities"], services: environment.services)
/// let session = BackendSession(environment: environment, transport: recorder.transport(DefaultTransport()))
/// recorder.follow(screens)
/// let flow = CitiesFlowController(CitiesBuilder(accessible: session), on: screens)
/// flow.start()
/// …
/// let recording = Recording(runs: [recorder.run()])
/// ```
///
/// States are not kept: they are computed again from the events when the run is asked for.
public final class Recorder: Sendable {
    private struct Contents: Sendable {
        var entries: [Entry] = []
        /// The number of each model, by its id.
        var numbers: [Int: Int] = [:]
        /// The requests that are under way, in the order sent.
        var underWay: [(id: UUID, request: Recording.Request)] = []
        /// The number of bytes of the answers.
        var size = 0
        var isFull = false
    }

    private typealias Look = @Sendable (_ state: any Sendable) -> Screen<AnyAction>?
    private typealias Reduce = @Sendable (inout any Sendable, any Sendable) -> Void

    private enum Entry: Sendable {
        case model(Int, name: String, look: Look?, state: any Sendable)
        case act(ScreenStack.ReportedAct)
        case answer(CannedAnswer)
        case event(Int, id: Int, reduce: Reduce, any Sendable, EventSource)
    }

    /// The number of entries that one recording holds by default; later ones are not recorded.
    public static let maximumEntries = 50_000
    /// The most bytes of answers that one recording holds.
    public static let maximumBodies = 64 << 20

    /// The identifiers for the objects that the flow makes. A replay makes the same ones.
    public let ids = RepeatableIDs(seed: .random(in: 0...0xFFFF_FFFF))

    private let features: [String]
    private let time: Date
    private let services: [BackendEnvironment.Service: URL]
    private let redaction: Redaction
    private let maximumEntries: Int
    private let contents = Locked(Contents())
    /// Returns the number of the model whose screen is on top.
    private let top = Locked<@Sendable () -> Int?>({ nil })

    /// - Parameters:
    ///   - features: The names of the features of the flow.
    ///   - time: The time that the flow's clock shows during the whole run, so that a replay has the same.
    ///   - services: The addresses of the backend, which can occur in states.
    public init(
        features: [String], time: Date = Date(), services: [BackendEnvironment.Service: URL],
        redaction: Redaction = Redaction(), maximumEntries: Int = Recorder.maximumEntries
    ) {
        self.features = features
        // Files keep milliseconds.
        self.time = Date(
            timeIntervalSinceReferenceDate: (time.timeIntervalSinceReferenceDate * 1_000).rounded() / 1_000)
        self.services = services
        self.redaction = redaction
        self.maximumEntries = maximumEntries
    }

    /// The time of the run's clock.
    public var now: Date { time }

    /// `true` if the limits are reached.
    public var isFull: Bool { contents.withLock(\.isFull) }

    // MARK: - Recording

    /// Returns a transport that records the answers of another one.
    public func transport(_ transport: any Transport) -> any Transport {
        RecordedTransport(transport: transport, redaction: redaction, recorder: self)
    }

    /// Records the acts and the events on the screens from now on. Call it before the flow starts.
    ///
    /// - Returns: A disposable that ends the recording, for example before another flow starts on the same screens.
    @discardableResult
    public func follow(_ screens: ScreenStack) -> any Disposable {
        top.withLock { $0 = { [weak screens] in screens?.top?.id } }
        return CompositeDisposable([
            screens.reportedActs.startWithValues { [weak self] act in self?.note(.act(act)) },
            screens.steps.startWithValues { [weak self] step in self?.note(step) },
        ])
    }

    private func note(_ step: ScreenStack.Step) {
        switch step.step {
        case let .initial(state, _):
            let number = contents.withLock { contents in
                let number = contents.numbers[step.id] ?? contents.numbers.count + 1
                contents.numbers[step.id] = number
                return number
            }
            note(.model(number, name: step.name, look: step.look, state: state))
        case let .reduced(event, source, _):
            guard let number = contents.withLock({ $0.numbers[step.id] }) else { return }
            note(.event(number, id: step.id, reduce: step.reduce, event, source))
        case .started, .ended, .withdrawn:
            break
        }
    }

    private func note(_ entry: Entry) { contents.withLock { note(entry, in: &$0) } }

    private func note(_ entry: Entry, in contents: inout Contents) {
        contents.isFull = contents.isFull || contents.entries.count >= maximumEntries
        if !contents.isFull { contents.entries.append(entry) }
    }

    /// Notes that a request is sent.
    ///
    /// - Returns: An identifier for its end.
    func begin(_ request: Recording.Request) -> UUID {
        let id = UUID()
        contents.withLock { $0.underWay.append((id, request)) }
        return id
    }

    /// Takes the room for an answer of this size. Returns false, and ends the recording, if there is not enough.
    func takeRoom(for size: Int) -> Bool {
        contents.withLock { contents in
            contents.isFull = contents.isFull || size > Self.maximumBodies - contents.size
            if contents.isFull { return false }
            contents.size += size
            return true
        }
    }

    /// Notes that a request has ended.
    ///
    /// - Parameter answer: The answer; `nil` if the request was cancelled, or if there is no room for it.
    func end(_ request: UUID, with answer: CannedAnswer?) {
        contents.withLock { contents in
            contents.underWay.removeAll { $0.id == request }
            if let answer { note(.answer(answer), in: &contents) }
        }
    }

    /// Returns the entries with each act right before its event.
    ///
    /// A person can see a state, and act on it, a moment before its event is reported:
    ///
    ///     loop's thread                    person's thread
    ///     the answer's state is set
    ///                                      sees it, and acts; the act is noted
    ///     the answer's event is noted
    ///     the act's event is noted
    ///
    /// Not only persons send events: between the act and its event there may be others.
    private static func inOrder(_ entries: [Entry]) -> [Entry] {
        var ordered: [Entry] = []
        // With the trees of their events, because each is compared with several events.
        var waiting: [Int: [(act: ScreenStack.ReportedAct, event: ValueTree)]] = [:]
        for entry in entries {
            switch entry {
            case let .act(act):
                waiting[act.id, default: []].append((act, ValueTree(act.event)))
                continue
            case let .event(_, id, _, event, .sent):
                guard let acts = waiting[id], !acts.isEmpty else { break }
                let tree = ValueTree(event)
                if let index = acts.firstIndex(where: { $0.event == tree }) {
                    ordered.append(.act(acts[index].act))
                    waiting[id]?.remove(at: index)
                }
            case .event, .model, .answer: break
            }
            ordered.append(entry)
        }
        return ordered
    }

    // MARK: - The recording

    /// Returns the run as recorded so far.
    public func run() -> Recording.Run {
        let contents = contents.withLock { $0 }
        var history = History(numbers: contents.numbers, states: RedactedStates(redaction), redaction: redaction)
        let entries = Self.inOrder(contents.entries).map { history.entry(for: $0) }
        return Recording.Run(
            features: features, time: time, seed: ids.seed,
            services: Dictionary(
                uniqueKeysWithValues: services.compactMap { service, url in
                    URL(string: redaction.url(url)).map { (service.name, $0) }
                }), entries: entries,
            endsBusy: top.withLock { $0 }().map { history.isBusy($0) } ?? false,
            // Of a recording that has only its beginning, the end is not known.
            unanswered: contents.isFull ? nil : contents.underWay.map { history.states.removed(from: $0.request) })
    }

    /// The states of a run, which are computed again entry by entry.
    private struct History {
        /// The number of each model, by its id.
        let numbers: [Int: Int]
        var states: RedactedStates
        let redaction: Redaction
        /// The models by their numbers.
        var models: [Int: Model] = [:]
        /// The secrets whose events come next, by the ids of their models.
        var typed: [Int: String] = [:]

        /// Returns true if the screen of the model with this id shows progress.
        func isBusy(_ id: Int) -> Bool { numbers[id].flatMap { models[$0] }?.isBusy == true }

        mutating func entry(for entry: Entry) -> Recording.Entry {
            switch entry {
            case let .act(act): return .act(shown(act), whileBusy: isBusy(act.id))
            case let .answer(answer): return .answer(Recording.Answer(states.removed(from: answer)))
            case let .model(number, name, look, state):
                models[number] = Model(state: state, look: look)
                let lines = states.first(state, of: number)
                return .model(Recording.Model(model: number, name: name, isScreen: look != nil, state: lines))
            case let .event(number, id, reduce, event, source):
                var typedNow: String?
                if case .sent = source { typedNow = typed.removeValue(forKey: id) }
                var state = models[number]?.takeState() ?? ()
                reduce(&state, event)
                let difference = states.next(state, of: number, typed: typedNow)
                models[number]?.state = state
                return .event(
                    Recording.Event(
                        model: number, event: states.line(of: event, typed: typedNow), source: "\(source)",
                        changed: difference.changed, removed: difference.removed))
            }
        }

        /// Returns an act without secrets, and notes the one that it types.
        private mutating func shown(_ act: ScreenStack.ReportedAct) -> ScreenStack.Act {
            guard case let .types(text, name, place) = act.act, act.isSecret || redaction.isSecret(name) else {
                states.secrets.endTyping()
                return states.removed(from: act.act)
            }
            states.secrets.add(text, in: .init(model: act.id, name: name, place: place))
            typed[act.id] = text
            return .types(Redaction.mark, into: name, place: place)
        }
    }

    /// A model, whose states are computed again.
    private struct Model {
        var state: any Sendable
        let look: Look?

        /// True if the model's screen shows progress.
        var isBusy: Bool { look?(state)?.progress.isEmpty == false }

        /// Returns the state, and keeps no copy of it, so that it is changed in place.
        mutating func takeState() -> any Sendable {
            defer { state = () }
            return state
        }
    }
}
