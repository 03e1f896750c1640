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
/// CitiesFlowController(CitiesBuilder(accessible: session), on: screens).start()
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
        var size = 0
        var isFull = false
    }

    private typealias Reduce = @Sendable (inout any Sendable, any Sendable) -> Void

    private enum Entry: Sendable {
        case model(Int, name: String, isScreen: Bool, state: any Sendable)
        case act(ScreenStack.Act, id: Int)
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
        RecordedTransport(transport: transport, redaction: redaction) { [weak self] in self?.note(.answer($0)) }
    }

    /// Records the acts and the events on the screens from now on. Call it before the flow starts.
    ///
    /// - Returns: A disposable that ends the recording, for example before another flow starts on the same screens.
    @discardableResult
    public func follow(_ screens: ScreenStack) -> any Disposable {
        CompositeDisposable([
            screens.acts.startWithValues { [weak self] id, act in self?.note(.act(act, id: id)) },
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
            note(.model(number, name: step.name, isScreen: step.look != nil, state: state))
        case let .reduced(event, source, _):
            guard let number = contents.withLock({ $0.numbers[step.id] }) else { return }
            note(.event(number, id: step.id, reduce: step.reduce, event, source))
        case .started, .ended, .withdrawn:
            break
        }
    }

    private func note(_ entry: Entry) {
        contents.withLock { contents in
            if case let .answer(answer) = entry, case let .response(_, _, body) = answer.outcome {
                contents.size += body.count
            }
            contents.isFull =
                contents.isFull || contents.entries.count >= maximumEntries || contents.size > Self.maximumBodies
            if !contents.isFull { contents.entries.append(entry) }
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
    private static func inOrder(_ entries: [Entry]) -> [Entry] {
        var ordered: [Entry] = []
        var waiting: [Int: [ScreenStack.Act]] = [:]
        for entry in entries {
            switch entry {
            case let .act(act, id):
                waiting[id, default: []].append(act)
                continue
            case let .event(_, id, _, _, .sent):
                if var acts = waiting[id], !acts.isEmpty {
                    ordered.append(.act(acts.removeFirst(), id: id))
                    waiting[id] = acts
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
        var describing = Describing(redaction)
        var states: [Int: any Sendable] = [:]
        var lines: [Int: ValueLines] = [:]
        let entries = Self.inOrder(contents.withLock(\.entries)).map { entry -> Recording.Entry in
            switch entry {
            case let .act(act, _):
                return .act(act.redacted(by: redaction))
            case let .answer(answer):
                return .answer(Recording.Answer(answer))
            case let .model(number, name, isScreen, state):
                let described = describing.lines(of: state)
                (states[number], lines[number]) = (state, described)
                return .model(Recording.Model(model: number, name: name, isScreen: isScreen, state: described.lines))
            case let .event(number, _, reduce, event, source):
                var state = states.removeValue(forKey: number) ?? ()
                reduce(&state, event)
                let described = describing.lines(of: state)
                let difference = described.difference(from: lines[number] ?? described)
                (states[number], lines[number]) = (state, described)
                return .event(
                    Recording.Event(
                        model: number, event: describing.line(of: event), source: "\(source)",
                        changed: difference.changed, removed: difference.removed))
            }
        }
        return Recording.Run(
            features: features, time: time, seed: ids.seed,
            services: Dictionary(uniqueKeysWithValues: services.map { ($0.key.name, $0.value) }), entries: entries)
    }
}

extension ScreenStack.Act {
    /// Returns the act without the text of a field whose name is that of a secret.
    fileprivate func redacted(by redaction: Redaction) -> Self {
        if case let .types(_, name, place) = self, redaction.isSecret(name) {
            return .types(Redaction.mark, into: name, place: place)
        }
        return self
    }
}

private struct RecordedTransport: Transport {
    let transport: any Transport
    let redaction: Redaction
    let note: @Sendable (CannedAnswer) -> Void

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        do {
            let response = try await transport.send(request)
            note(CannedAnswer(response, to: request, redaction: redaction))
            return response
        } catch .cancelled {
            throw .cancelled
        } catch {
            note(CannedAnswer(error, of: request, redaction: redaction))
            throw error
        }
    }
}
