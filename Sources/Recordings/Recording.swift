import Foundation
import JSON
import Networking
import Presentation

/// The recording of a run: what a person did on the screens, what the backends answered, and each state that was
/// reached.
///
/// ```swift
/// let recording = try Recording(Data(contentsOf: file))
/// let replay = Replay(recording.runs[0])
/// let flow = CitiesFlowController(CitiesBuilder(accessible: replay.session()), on: screens)
/// try await replay.play(on: screens, start: flow.start)
/// ```
///
/// A recording is a JSON file. It contains no secrets that are recognized by the names of header fields, query items,
/// JSON keys, text fields, parts of states and cases of enums. Once a text of four characters or more was typed into a text
/// field with such a name, what is recorded from then on does not contain it, except as a name or a number in the JSON of
/// an answer.
public struct Recording: Equatable, Sendable {
    /// The version of the format that this package writes and reads.
    public static let version = 1

    /// The flows that were used, one after the other.
    public var runs: [Run]

    /// Makes a recording of runs.
    public init(runs: [Run] = []) {
        self.runs = runs
    }

    /// The use of one flow, from its first screen.
    public struct Run: Equatable, Sendable, Codable {
        /// The features of the flow; with several, their menu.
        public var features: [String]
        /// The time that the run's clock showed, from its beginning to its end.
        public var time: Date
        /// The seed of the run's identifiers, see ``RepeatableIDs``.
        public var seed: Int
        /// The base URLs of the services, by name.
        public var services: [String: URL]
        /// All that happened, in order.
        public var entries: [Entry]
        /// True if the screen on top showed progress at the end.
        public var endsBusy: Bool
        /// The requests that were under way at the end, in the order sent; `nil` if that is not known.
        public var unanswered: [Request]?

        /// Makes the record of a run.
        public init(
            features: [String], time: Date, seed: Int, services: [String: URL], entries: [Entry] = [],
            endsBusy: Bool = false, unanswered: [Request]? = nil
        ) {
            self.features = features
            self.time = time
            self.seed = seed
            self.services = services
            self.entries = entries
            self.endsBusy = endsBusy
            self.unanswered = unanswered
        }
    }

    /// Something that happened in a run.
    public enum Entry: Equatable, Sendable {
        /// A view model began.
        case model(Model)
        /// A person used a control; `whileBusy` if the screen showed progress at that time.
        case act(ScreenStack.Act, whileBusy: Bool = false)
        /// A request was answered.
        case answer(Answer)
        /// A view model reduced an event.
        case event(Event)
    }

    /// The first state of a view model.
    public struct Model: Equatable, Sendable, Codable {
        /// The number of the model in the run, from 1.
        public var model: Int
        /// The name of the view model's type.
        public var name: String
        /// `true` if the model has a screen.
        public var isScreen: Bool
        /// The lines of the state.
        public var state: [ValueLines.Line]
    }

    /// An event, and its effect on the state.
    public struct Event: Equatable, Sendable, Codable {
        /// The number of the model in the run, from 1.
        public var model: Int
        /// The event on one line.
        public var event: String
        /// The feedback that sent it, or `sent`.
        public var source: String
        /// The lines of the state that the event added or changed.
        public var changed: [ValueLines.Line]
        /// The paths of the lines that it removed.
        public var removed: [String]
    }
}

// MARK: - Reading and writing

extension Recording {
    /// Reads a recording.
    public init(_ data: Data) throws(RecordingError) {
        let head: Head
        do {
            head = try StrictJSONDecoder().decode(Head.self, from: data)
        } catch {
            throw .notARecording
        }
        guard head.recording == Self.maker else { throw .notARecording }
        guard head.version == Self.version else { throw .otherVersion(head.version) }
        do {
            runs = try StrictJSONDecoder().decode(File.self, from: data).runs
        } catch {
            let failure = ParsingFailure(error, in: data)
            throw .unreadable("\(failure.path.isEmpty ? "the file" : failure.path): \(failure.reason)")
        }
    }

    /// Reads a file.
    public init(contentsOf file: URL) throws(RecordingError) {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw .cannotReadFile(file.path(percentEncoded: false))
        }
        try self.init(data)
    }

    /// Returns the recording as a file: JSON, in the same order each time.
    public func data() throws -> Data {
        let file = File(recording: Self.maker, version: Self.version, runs: runs)
        return try StrictJSONEncoder.sortingKeys(isPretty: true).encode(file) + Data("\n".utf8)
    }

    /// The mark of a recording, by which it is told from other JSON.
    private static let maker = "Feedback"

    private struct Head: Decodable {
        let recording: String
        let version: Int
    }

    private struct File: Codable {
        let recording: String
        let version: Int
        let runs: [Run]
    }
}

/// The reason why a recording cannot be used.
public enum RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file cannot be read; the text is its path.
    case cannotReadFile(String)
    /// The file is not a recording.
    case notARecording
    /// The recording has another version than this package reads.
    case otherVersion(Int)
    /// The recording is damaged; the text is the place and the reason, a sentence.
    case unreadable(String)

    public var description: String {
        switch self {
        case let .cannotReadFile(path): "The file \(path) cannot be read. Check that it exists, and its permissions."
        case .notARecording: "The file is not a recording. Make one with `demo --record FILE`."
        case let .otherVersion(version) where version < Recording.version:
            "The recording has version \(version); this program reads version \(Recording.version). Record the flow again."
        case let .otherVersion(version):
            "The recording has version \(version); this program reads version \(Recording.version). Update the program."
        case let .unreadable(reason): "The recording is damaged, at \(reason) Record the flow again."
        }
    }
}
