import FeedbackTesting
import Foundation
import Testing

@testable import LocalBackend

@Suite("Parsing requests, whatever comes", .onOwnThread)
struct RequestParserFuzzTests {
    /// The number of requests to mutate; `REQUEST_MUTATIONS` changes it.
    private static let mutations =
        ProcessInfo.processInfo.environment["REQUEST_MUTATIONS"].flatMap(Int.init) ?? 40_000

    @Test("Byte by byte gives what all at once gives", arguments: Mutations.wholeRequests)
    func byteByByte(bytes: [UInt8]) {
        let atOnce = parse([bytes])
        #expect(!atOnce.requests.isEmpty)
        #expect(parse(bytes.map { [$0] }).requests == atOnce.requests)
    }

    // On threads of their own, so that the threads that all tests share stay free.
    @Test("Mutated requests are told from good ones without a crash, however they are portioned", arguments: 0..<2)
    func mutated(seed: UInt64) async throws {
        try await onThread {
            var mutations = Mutations(seed: seed)
            var accepted = 0
            var rejected: Set<Int> = []
            for round in 0..<Self.mutations {
                let bytes = mutations.next()
                let atOnce = parse([bytes])
                accepted += atOnce.requests.count
                if case .rejected(let rejection) = atOnce.last { rejected.insert(rejection.status) }
                if round % 16 == 0 {
                    let portioned = parse(mutations.portions(of: bytes))
                    let text = String(decoding: bytes, as: UTF8.self)
                    #expect(portioned.withoutContinue == atOnce.withoutContinue, "\(text)")
                }
            }
            // Otherwise the mutations would be too tame, or too wild, to say anything.
            #expect(accepted > Self.mutations / 10)
            #expect(rejected.isSuperset(of: [400, 413, 501, 505]))
        }
    }

    @Test("Bytes without any sense are rejected, or wait for more")
    func noise() {
        var mutations = Mutations(seed: 99)
        for _ in 0..<5_000 {
            let bytes = (0..<mutations.number(below: 60)).map { _ in UInt8(mutations.number(below: 256)) }
            #expect(parse([bytes]).requests.isEmpty)
        }
    }
}

extension [RequestParser.Output] {
    /// Whether a client has to be told to continue depends on when its bytes arrive.
    fileprivate var withoutContinue: Self { filter { $0 != .expectsContinue } }
}
