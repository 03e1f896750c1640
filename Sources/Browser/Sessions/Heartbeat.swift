import Feedback
import Foundation
import LocalBackend

extension SignalProducer where Value == Void, Error == NoError {
    /// The values as `false`, and between them `true` at intervals, for a connection that is otherwise quiet. If the reader is slow,
    /// it gets only the last one.
    func withBeats(every interval: Duration) -> AsyncValues<Bool, NoError> {
        let beats = SignalProducer<Date, NoError>.timer(interval: interval, on: QueueScheduler(name: "Browser.beats"))
        return map { false }.merge(with: beats.map { _ in true }).values(buffering: .latest)
    }
}

extension LocalBackend.ServerSentEvent {
    /// Tells a page that its connection lasts. A comment would be hidden from it by the browser.
    static let beat = Self("", name: "beat")
}
