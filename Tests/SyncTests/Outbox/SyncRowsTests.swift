import Foundation
import Presentation
import Sync
import Testing

struct SyncRowsTests {
    private enum Action: Equatable {
        case retry(Int)
        case giveUp(Int)
    }

    private func notices(_ rows: [Screen<Action>.Row]) -> [String] {
        rows.compactMap { if case let .notice(notice) = $0 { notice.message } else { nil } }
    }

    @Test("A screen says what waits and why, and nothing if all is sent")
    func status() {
        #expect(notices(SyncStatus().rows()).isEmpty)
        #expect(notices(SyncStatus(offlineSince: Date()).rows()).isEmpty)
        #expect(notices(SyncStatus(waiting: 1).rows()) == ["1 change to be sent."])
        #expect(
            notices(SyncStatus(offlineSince: Date(), waiting: 3).rows())
                == ["There is no network. 3 changes to be sent when it is back."])
        let failing = SyncStatus(offlineSince: Date(), waiting: 3, problem: "Sign in.", isServerReached: true)
        #expect(notices(failing.rows()) == ["3 changes cannot be sent now. Sign in."])
        let silent = SyncStatus(offlineSince: Date(), waiting: 1, isServerReached: true)
        #expect(notices(silent.rows()) == ["1 change cannot be sent now. The server fails."])
    }

    @Test("A program is in step with the server if no write waits, and none is parked")
    func isInStep() {
        #expect(SyncStatus().isInStep && SyncStatus(offlineSince: Date(), problem: "Sign in.").isInStep)
        #expect(!SyncStatus(waiting: 1).isInStep && !SyncStatus(parked: 1).isInStep)
        #expect(!SyncStatus(waiting: 1, parked: 1).isInStep)
    }

    @Test(
        "A parked write is shown with its reason and with what can be done",
        arguments: [
            (.refused, "The server has refused a change"), (.conflict, "Changed here and on the server"),
            (.unreadable, "This version of the program cannot read a change of another one"),
            (.damaged, "The file of the waiting changes is damaged"),
            (.unconfirmed, "It is not known if the server has made a change"),
        ] as [(ParkedWrite.Cause, String)])
    func parked(cause: ParkedWrite.Cause, words: String) {
        let write = ParkedWrite(
            id: 7, table: "films", entity: "films/1", summary: "update year: 1949", cause: cause, reason: "No.",
            date: Date())
        let rows: [Screen<Action>.Row] = [write].rows(retry: { .retry($0) }, giveUp: { .giveUp($0) })
        #expect(notices(rows) == ["\(words): update year: 1949. No."])
        #expect(rows.count == 2)
    }
}
