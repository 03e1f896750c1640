import Testing

@testable import LocalBackend

@Suite("Deciding on misbehaviour")
struct FaultInjectionTests {
    private let request = LocalBackend.Request(method: .get, target: "/v1/cities/7?x=1", minorVersion: 1)

    @Test("The share that fails is as asked, and the same for the same seed")
    func rate() {
        let draw = { (seed: UInt64) -> [Bool] in
            var faultInjection = FaultInjection([.fail(rate: 0.25, status: 500, seed: seed)])
            return (0..<4_000).map { _ in faultInjection.plan(for: request).failure == 500 }
        }
        let first = draw(1)
        #expect((900...1_100).contains(first.count { $0 }))
        #expect(draw(1) == first)
        #expect(draw(2) != first)
    }

    @Test("The random numbers are those of SplitMix64")
    func numbers() {
        var numbers = SeededNumbers(seed: 0)
        #expect(
            (0..<3).map { _ in numbers.next() } == [
                0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F,
            ])
        numbers = SeededNumbers(seed: 0)
        #expect(numbers.fraction() == 0x1p-53 * Double(0xE220_A839_7B1D_CDAF as UInt64 >> 11))
    }

    @Test("Without a number, a fault comes after one byte, and a failure is 503 of the seed 0")
    func defaults() {
        typealias Misbehaviour = LocalBackend.Misbehaviour
        #expect(Misbehaviour.fail(rate: 0.5) == .fail(rate: 0.5, status: 503, seed: 0))
        #expect(
            [Misbehaviour.reset(), .truncate(), .stall()] == [.reset(after: 1), .truncate(after: 1), .stall(after: 1)])
    }

    @Test("A rate of 0 fails nothing, and 1 fails all")
    func extremes() {
        var none = FaultInjection([.fail(rate: 0)])
        var all = FaultInjection([.fail(rate: 1)])
        for _ in 0..<1_000 {
            #expect(none.plan(for: request).failure == nil)
            #expect(all.plan(for: request).failure == 503)
        }
    }

    @Test("Delays add up, and of several faults the last wins")
    func combining() {
        var faultInjection = FaultInjection([.delay(.seconds(1)), .drop])
        faultInjection.add([.delay(.seconds(2)), .stall(after: -3)], on: nil, at: nil, times: nil)
        #expect(faultInjection.plan(for: request) == .init(delay: .seconds(3), failure: nil, fault: .stall(after: 0)))
    }

    @Test("Delays that never end add up to one that can be waited for")
    func endlessDelays() {
        let endless = LocalBackend.Misbehaviour.delay(.seconds(Int64.max))
        var faultInjection = FaultInjection([endless, endless, .delay(.seconds(-1))])
        #expect(faultInjection.plan(for: request).delay == .seconds(31_536_000))
    }

    @Test("It meets the method and the path that it was asked for")
    func aim() {
        for (method, path, isMet) in [
            (nil, "/v1/cities/:id", true), (LocalBackend.Method.get, nil, true), (.get, "/v1/cities/7", true),
            (.post, "/v1/cities/7", false), (nil, "/v1/cities", false),
        ] {
            var faultInjection = FaultInjection()
            faultInjection.add([.drop], on: method, at: path, times: nil)
            #expect((faultInjection.plan(for: request).fault == .drop) == isMet)
        }
    }

    @Test("It ends after so many times, which requests that it does not meet leave untouched")
    func times() {
        var faultInjection = FaultInjection()
        faultInjection.add([.drop], on: .get, at: nil, times: 2)
        let other = LocalBackend.Request(method: .post, target: "/", minorVersion: 1)
        let faults = [other, request, other, request, request].map { faultInjection.plan(for: $0).fault }
        #expect(faults == [nil, .drop, nil, .drop, nil])
    }
}

extension FaultInjection {
    fileprivate init(_ misbehaviours: [LocalBackend.Misbehaviour]) {
        self.init()
        add(misbehaviours, on: nil, at: nil, times: nil)
    }
}
