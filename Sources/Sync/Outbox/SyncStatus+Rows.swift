import Foundation
import Presentation

// The rows in which a screen shows the state of an outbox.

extension SyncStatus {
    /// Returns a row with the number of waiting changes, and the reason if they cannot be sent. There is none if everything
    /// is on the server.
    public func rows<Action>() -> [Screen<Action>.Row] {
        let count = waiting.counting("change", "changes")
        switch (waiting, offlineSince) {
        case (0, _): return []
        case (_, nil): return [.notice(.information, "\(count) to be sent.")]
        case (_, _) where isServerReached:
            return [.notice(.warning, "\(count) cannot be sent now. \(problem ?? "The server fails.")")]
        case (_, _): return [.notice(.warning, "There is no network. \(count) to be sent when it is back.")]
        }
    }
}

extension [ParkedWrite] {
    /// Returns rows that show each write with the server's reason, and buttons to send it again or to give it up.
    ///
    /// To correct a write, let the person change its object, and call ``SyncedStore/mend(_:basedOn:)``.
    public func rows<Action>(
        retry: (ParkedWrite.ID) -> Action, giveUp: (ParkedWrite.ID) -> Action
    ) -> [Screen<Action>.Row] {
        flatMap { write -> [Screen<Action>.Row] in
            let cause =
                switch write.cause {
                case .refused: "The server has refused a change"
                case .unconfirmed: "It is not known if the server has made a change"
                case .conflict: "Changed here and on the server"
                case .unreadable: "This version of the program cannot read a change of another one"
                case .damaged: "The file of the waiting changes is damaged"
                }
            return [
                .notice(
                    .warning, "\(cause): \(write.summary). \(write.reason)",
                    button: .init("Send it again", action: retry(write.id))),
                .button("Give the change up", action: giveUp(write.id)),
            ]
        }
    }
}
