import Feedback
import JSON
import Presentation

/// The messages of the inspector, as JSON.
enum InspectorMessages {
    /// Returns a message with moments for the timeline, from a number on, at most `maximum`.
    ///
    /// - Parameters:
    ///   - known: The number of models that the browser has been told of.
    ///   - dropped: The number of moments that the browser knows to be dropped. If there are more, the message tells it
    ///     which models are kept.
    /// - Returns: The message, and the number of the next moment.
    static func moments(
        of contents: StepHistory.Contents, from number: Int, models known: Int, dropped: Int = 0, maximum: Int = 2_000
    ) -> (json: String, next: Int) {
        let start = max(number, contents.dropped)
        let end = min(contents.end, start + maximum)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("from", start)
        writer.key("models")
        writer.beginArray()
        for (number, model) in contents.models.sorted(by: { $0.key < $1.key }) where number >= known {
            writer.beginObject()
            writer.member("number", number)
            writer.member("name", model.name)
            writer.member("screen", model.look == nil ? 0 : 1)
            writer.endObject()
        }
        writer.endArray()
        if contents.dropped > dropped {
            writer.member("dropped", contents.dropped)
            writer.key("kept")
            writer.beginArray()
            for number in contents.models.keys { writer.integer(number) }
            writer.endArray()
        }
        writer.key("moments")
        writer.beginArray()
        for index in start..<max(start, end) {
            if let moment = contents[index] { write(moment, to: &writer) }
        }
        writer.endArray()
        writer.endObject()
        return (String(decoding: writer.finish(), as: UTF8.self), end)
    }

    /// `[microseconds, model, kind, text, source, end]`; the source of an effect's step is the effect itself.
    private static func write(_ moment: StepHistory.Moment, to writer: inout JSONWriter) {
        writer.beginArray()
        writer.integer(Int(moment.time / .microseconds(1)))
        writer.integer(moment.model)
        let (kind, text, source, end): (Int, String, String, String) =
            switch moment.kind {
            case .initial: (0, "", "", "")
            case let .reduced(event, source): (1, ValueSummary.line(of: event, limit: 120), "\(source)", "")
            case let .withdrawn(event, source): (2, ValueSummary.line(of: event, limit: 120), "\(source)", "")
            case let .started(effect): (3, "", "\(effect)", "")
            case let .ended(effect, end): (4, "", "\(effect)", "\(end)")
            }
        writer.integer(kind)
        writer.string(text)
        writer.string(source)
        if !end.isEmpty { writer.string(end) }
        writer.endArray()
    }

    /// The most elements of a collection to describe. For the rest, only their number is given.
    private static let maximumElements = 500

    /// Returns a message with one moment: the state before and after it, and the screen as it looked then.
    static func moment(_ number: Int, of contents: StepHistory.Contents) -> String? {
        guard let moment = contents[number], let states = contents.states(of: moment.model, at: number) else {
            return nil
        }
        let comparison = StateComparison(
            ValueTree(states.before, elements: maximumElements), ValueTree(states.after, elements: maximumElements))
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("number", number)
        switch moment.kind {
        case let .reduced(event, _), let .withdrawn(event, _):
            writer.member("event", ValueSummary.line(of: event, limit: 4_000))
        case .initial, .started, .ended: break
        }
        writer.key("state")
        comparison.write(to: &writer)
        if let screen = contents.screen(at: number) {
            var page = Page()
            _ = page.update(to: screen)
            writer.member("screen", page.html.string)
        }
        writer.endObject()
        return String(decoding: writer.finish(), as: UTF8.self)
    }
}
