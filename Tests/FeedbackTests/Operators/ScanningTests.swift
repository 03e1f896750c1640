import Feedback
import Testing

@Suite("scan, reduce, combinePrevious")
struct ScanningTests {
    let numbers = Producer(values: 1, 2, 3)

    @Test("scan delivers each partial result")
    func scan() {
        #expect(numbers.scan(10, +).recorded().events == [.value(11), .value(13), .value(16), .completed])
        #expect(numbers.scan(into: []) { $0.append($1) }.recorded().values == [[1], [1, 2], [1, 2, 3]])
    }

    @Test("scanMap delivers what is made on the way")
    func scanMap() {
        #expect(numbers.scanMap(0) { ($0 + $1, "\($0 + $1)") }.recorded().values == ["1", "3", "6"])
        #expect(
            numbers.scanMap(into: 0) { total, next in
                total += next
                return total * 10
            }.recorded().values == [10, 30, 60])
    }

    @Test("reduce delivers the result at completion, and none at failure")
    func reduce() {
        #expect(numbers.reduce(0, +).recorded().events == [.value(6), .completed])
        #expect(numbers.reduce(into: 1) { $0 *= $1 }.recorded().events == [.value(6), .completed])
        #expect(Producer<Int>.empty.reduce(7, +).recorded().events == [.value(7), .completed])
        #expect(numbers.concat(error: .first).reduce(0, +).recorded().events == [.failed(.first)])
    }

    @Test("combinePrevious pairs each value with the one before it")
    func combinePrevious() {
        #expect(numbers.combinePrevious().recorded().values.map { [$0.0, $0.1] } == [[1, 2], [2, 3]])
        #expect(numbers.combinePrevious(0).recorded().values.map { [$0.0, $0.1] } == [[0, 1], [1, 2], [2, 3]])
    }

    @Test("Each start begins with the initial result")
    func restart() {
        let sums = numbers.scan(0, +)
        #expect(sums.recorded().values == [1, 3, 6])
        #expect(sums.recorded().values == [1, 3, 6])
    }

    @Test("Hot streams are scanned too")
    func hot() {
        let (signal, input) = Pipe<Int>.pipe()
        let sums = signal.scan(0, +).recorded()
        let lists = signal.scan(into: [Int]()) { $0.append($1) }.recorded()
        let mapped = signal.scanMap(0) { ($0 + $1, $0 - $1) }.recorded()
        let inPlace = signal.scanMap(into: 0) {
            $0 += $1; return -$0
        }.recorded()
        let sum = signal.reduce(0, +).recorded()
        let list = signal.reduce(into: [Int]()) { $0.append($1) }.recorded()
        let pairs = signal.combinePrevious().map { $0 + $1 }.recorded()
        let more = signal.combinePrevious(0).map { $0 + $1 }.recorded()
        input.send(value: 1)
        input.send(value: 2)
        input.sendCompleted()
        #expect(sums.events == [.value(1), .value(3), .completed])
        #expect(lists.values == [[1], [1, 2]])
        #expect(mapped.values == [-1, -1])
        #expect(inPlace.values == [-1, -3])
        #expect(sum.events == [.value(3), .completed])
        #expect(list.values == [[1, 2]])
        #expect(pairs.values == [3])
        #expect(more.values == [1, 3])
    }
}

@Suite("collect")
struct CollectingTests {
    let numbers = Producer(0..<5)

    @Test("collect delivers all values at completion, also none")
    func all() {
        #expect(numbers.collect().recorded().events == [.value([0, 1, 2, 3, 4]), .completed])
        #expect(Producer<Int>.empty.collect().recorded().events == [.value([]), .completed])
        #expect(numbers.concat(error: .first).collect().recorded().events == [.failed(.first)])
    }

    @Test("collect(count:) delivers arrays of that many, and a shorter one at the end")
    func count() {
        #expect(
            numbers.collect(count: 2).recorded().events == [.value([0, 1]), .value([2, 3]), .value([4]), .completed])
        #expect(Producer(0..<2).collect(count: 2).recorded().events == [.value([0, 1]), .completed])
        #expect(Producer<Int>.empty.collect(count: 2).recorded().events == [.value([]), .completed])
    }

    @Test("collect by a condition delivers with or without the value that met it")
    func condition() {
        #expect(
            numbers.collect { values in values.reduce(0, +) >= 3 }.recorded().values == [[0, 1, 2], [3], [4]])
        #expect(
            numbers.collect { _, latest in latest.isMultiple(of: 2) }.recorded().values == [[], [0, 1], [2, 3], [4]])
    }

    @Test("Hot streams are collected too")
    func hot() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let all = signal.collect().recorded()
        let pairs = signal.collect(count: 2).recorded()
        let sums = signal.collect { $0.reduce(0, +) > 2 }.recorded()
        let before = signal.collect { _, latest in latest == 3 }.recorded()
        for value in 1...3 { input.send(value: value) }
        input.sendCompleted()
        #expect(all.events == [.value([1, 2, 3]), .completed])
        #expect(pairs.events == [.value([1, 2]), .value([3]), .completed])
        #expect(sums.values == [[1, 2], [3]])
        #expect(before.values == [[1, 2], [3]])
    }
}
