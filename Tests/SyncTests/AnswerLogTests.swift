import Foundation
import Persistence
import Testing

@testable import Sync

@Suite("The log of answers")
struct AnswerLogTests {
    @Test("A full log forgets a tenth of its questions, those answered longest ago, also on the disk")
    func forgotten() async throws {
        let database = try SQLiteDatabase(.memory)
        let log = try AnswerLog(in: database)
        func note(_ number: Int) async throws {
            try await log.note("\(number)", at: Date(timeIntervalSince1970: TimeInterval(number)))
        }
        func kept(in log: AnswerLog) -> [Int] {
            (1...1_001).filter { log.date(of: "\($0)", now: .distantFuture) != nil }
        }
        for number in 1...1_000 { try await note(number) }
        #expect(kept(in: log) == Array(1...1_000))
        try await note(1_001)
        #expect(kept(in: log) == Array(101...1_001))
        #expect(try kept(in: AnswerLog(in: database)) == Array(101...1_001))
    }

    @Test("If the clock was set back, a full log forgets answers from the future, and not the one that has just come")
    func clockSetBack() async throws {
        let log = AnswerLog()
        for number in 1...1_000 {
            try await log.note("\(number)", at: Date(timeIntervalSince1970: number <= 900 ? 2e9 : 1.4e9))
        }
        for number in 1_001...1_200 { try await log.note("\(number)", at: Date(timeIntervalSince1970: 1.5e9)) }
        #expect((901...1_200).allSatisfy { log.date(of: "\($0)", now: .distantFuture) != nil })
        #expect((1...900).count { log.date(of: "\($0)", now: .distantFuture) != nil } == 700)
    }
}
