import Feedback
import FeedbackTesting
import Testing

/// Properties in rows that are shorter and longer than those that have lanes of their own.
@Suite("Rows of properties", .onOwnThread)
struct PropertyRowTests {
    private let root = MutableProperty(1)
    private let other = MutableProperty(10)

    private func combined(_ length: Int) -> Property<Int> {
        (0..<length).reduce(Property(root)) { row, _ in row.combineLatest(with: other).map { $0.0 } }
    }

    private func flattened(_ length: Int) -> Property<Int> {
        (0..<length).reduce(Property(root)) { row, _ in row.flatMap(.latest) { Property(value: $0) } }
    }

    @Test("A row of any length has each value of its source", arguments: [1, 31, 32, 33, 64, 65, 70])
    func follows(length: Int) {
        let mapped = (0..<length).reduce(Property(root)) { row, _ in row.map { $0 } }
        for row in [combined(length), flattened(length), mapped] {
            root.value = 1
            let values = Log<Int>()
            row.producer.startWithValues { values.add($0) }
            for number in 2...4 {
                root.value = number
                #expect(row.value == number)
            }
            #expect(values.entries == [1, 2, 3, 4])
        }
    }

    @Test(
        "A property of several, made while a change goes through the row that it is made of, has its value at once",
        arguments: [1, 32, 40])
    func madeWithinChange(length: Int) {
        let row = combined(length)
        let sums = row.map { [other] number in
            let pair = row.combineLatest(with: other).value
            return number + pair.0 + pair.1
        }
        #expect(sums.value == 12)
        root.value = 2
        #expect(sums.value == 14)
    }

    @Test(
        "A flattened property, made while the row that it is made of goes over, has its value at once",
        arguments: [1, 32, 40])
    func flattenedWithinChange(length: Int) {
        let row = flattened(length)
        let sums = row.flatMap(.latest) { number in row.flatMap(.latest) { Property(value: 10 * $0 + number) } }
        #expect(sums.value == 11)
        root.value = 2
        #expect(sums.value == 22)
        root.value = 3
        #expect(sums.value == 33)
    }
}
