import Feedback
import FeedbackTesting
import Testing

@Suite("ValidatingProperty")
struct ValidatingPropertyTests {
    typealias Even = ValidatingProperty<Int, TestError>

    static let even: @Sendable (Int) -> Even.Decision = { number in
        number == 99 ? .coerced(98, .second) : number % 2 == 0 ? .valid : .invalid(.first)
    }

    @Test("It takes valid values only, and says what it thinks of each")
    func decisions() {
        let property = Even(0, Self.even)
        let values = property.producer.recorded()
        let results = property.result.producer.recorded()
        property.value = 2
        property.value = 3
        #expect(property.value == 2)
        #expect(property.result.value == .invalid(3, .first))
        #expect(property.result.value.isInvalid)
        #expect(property.result.value.error == .first)
        property.value = 99
        #expect(property.value == 98)
        #expect(property.result.value == .coerced(replacement: 98, proposed: 99, error: .second))
        #expect(values.values == [0, 2, 98])
        #expect(
            results.values == [
                .valid(0), .valid(2), .invalid(3, .first), .coerced(replacement: 98, proposed: 99, error: .second),
            ])
    }

    @Test("The initial value is taken whatever the validator says")
    func initial() {
        let property = Even(1, Self.even)
        #expect(property.value == 1)
        #expect(property.result.value == .invalid(1, .first))
    }

    @Test("It writes valid values to an inner property, and checks what is set there")
    func inner() {
        let inner = MutableProperty(0)
        let property = Even(inner, Self.even)
        property.value = 2
        property.value = 3
        #expect(inner.value == 2)
        inner.value = 5
        #expect(property.value == 5)
        #expect(property.result.value == .invalid(5, .first))
        property.value = 99
        #expect(inner.value == 98)
        #expect(property.result.value == .coerced(replacement: 98, proposed: 99, error: .second))
    }

    @Test("A property derived from its inner property follows its writes there")
    func innerDerived() {
        let inner = MutableProperty(0)
        let doubled = inner.map { $0 * 2 }
        let recorder = doubled.producer.recorded()
        let property = Even(inner, Self.even)
        property.value = 2
        #expect(doubled.value == 4)
        property.value = 3
        inner.value = 8
        property.value = 6
        #expect(doubled.value == 12)
        #expect(recorder.values == [0, 4, 16, 12])
    }

    @Test("When what it depends on changes, the latest proposal is checked again")
    func dependency() {
        let limit = MutableProperty(10)
        let property = Even(0, with: limit) { $0 <= $1 ? .valid : .invalid(.first) }
        property.value = 20
        #expect(property.value == 0)
        limit.value = 30
        #expect(property.value == 20)
        let dependent = ValidatingProperty<Int, TestError>(0, with: property) { $0 == $1 ? .valid : .invalid(.second) }
        #expect(dependent.result.value.isInvalid)
        property.value = 0
        #expect(dependent.result.value == .valid(0))
    }

    @Test("A proposal that comes while the one before it is checked again counts", arguments: [true, false])
    func proposedMeanwhile(hasInner: Bool) {
        let (limit, inner) = (MutableProperty(10), MutableProperty(1))
        let proposal = Shared<@Sendable () -> Void>({})
        let validator: @Sendable (Int, Int) -> Even.Decision = { number, limit in
            if limit == 20, number == 1 { onThreadsBlocking(1) { _ in proposal.value() } }
            return number <= limit ? .valid : .invalid(.first)
        }
        let property = hasInner ? Even(inner, with: limit, validator) : Even(1, with: limit, validator)
        proposal.value = { property.value = 2 }
        limit.value = 20
        #expect(property.value == 2)
        #expect(property.result.value == .valid(2))
        proposal.value = {}
    }

    @Test("A proposal is checked by what the property depends on now, also if that changes during the check")
    func changedMeanwhile() {
        let limit = MutableProperty(10)
        let property = Even(1, with: limit) { number, current in
            if number == 5, current == 10 { onThreadsBlocking(1) { _ in limit.value = 3 } }
            return number <= current ? .valid : .invalid(.first)
        }
        let results = property.result.signal.recorded()
        property.value = 5
        #expect(property.value == 1)
        #expect(property.result.value == .invalid(5, .first))
        #expect(results.values == [.valid(1), .invalid(5, .first)])
    }

    @Test("A change of what it depends on counts, also if it comes during the first check", arguments: [true, false])
    func changedDuringFirstCheck(hasInner: Bool) {
        let limit = MutableProperty(10)
        let validator: @Sendable (Int, Int) -> Even.Decision = { number, current in
            if current == 10 { onThreadsBlocking(1) { _ in limit.value = 3 } }
            return number <= current ? .valid : .invalid(.first)
        }
        let property =
            hasInner ? Even(MutableProperty(5), with: limit, validator) : Even(5, with: limit, validator)
        #expect(property.value == 5)
        #expect(property.result.value == .invalid(5, .first))
    }

    @Test("A value that is set on the inner property during the first check is checked too")
    func innerChangedDuringFirstCheck() {
        let inner = MutableProperty(2)
        let property = Even(inner) { number in
            if number == 2 { onThreadsBlocking(1) { _ in inner.value = 3 } }
            return Self.even(number)
        }
        #expect(property.value == 3)
        #expect(property.result.value == .invalid(3, .first))
    }

    @Test("A proposal counts, although what the property depends on changes during each check")
    func changingAlways() {
        let limit = MutableProperty(10)
        let property = Even(1, with: limit) { number, _ in
            if number == 5 { onThreadsBlocking(1) { _ in limit.modify { $0 += 1 } } }
            return .valid
        }
        // Only the checks of this thread change the limit: the others are of the value before.
        property.value = 5
        #expect(property.value == 5)
    }

    @Test("An action of it is enabled while it is valid")
    func action() {
        let property = Even(1, Self.even)
        let action = Action<Void, Int, NoError>(validated: property) { SignalProducer(value: $0) }
        #expect(!action.isEnabled.value)
        property.value = 4
        #expect(action.apply().recorded().values == [4])
        property.value = 5
        #expect(!action.isEnabled.value)
    }

    @Test("Values bound to it are proposals")
    func binding() {
        let property = Even(0, Self.even)
        property <~ SignalProducer<Int, NoError>([1, 2, 3])
        #expect(property.value == 2)
        #expect(property.result.value == .invalid(3, .first))
    }

    @Test("It goes when nobody holds it")
    func lifetime() {
        weak var gone: Even?
        do {
            let property = Even(0, with: MutableProperty(0)) { number, _ in Self.even(number) }
            property.value = 2
            gone = property
            #expect(gone != nil)
        }
        #expect(gone == nil)
    }

    // MARK: - Changes of the inner property while a delivery runs

    @Test("A coercion counts, although an observer has set the inner property just before")
    func coercedAfterChange() {
        let inner = MutableProperty(0)
        let property = Even(inner, Self.even)
        inner.signal.observeValues { value in
            if value == 1 { (inner.value, property.value) = (2, 99) }
        }
        inner.value = 1
        #expect(property.value == 98)
        #expect(property.result.value == .coerced(replacement: 98, proposed: 99, error: .second))
    }

    @Test("A value that an observer sets on the inner property just after a coercion counts")
    func changedAfterCoercion() {
        let inner = MutableProperty(0)
        let property = Even(inner, Self.even)
        let results = property.result.signal.recorded()
        inner.signal.observeValues { value in
            if value == 1 { (property.value, inner.value) = (99, 3) }
        }
        inner.value = 1
        #expect(property.value == 3)
        #expect(
            results.values == [
                .invalid(1, .first), .coerced(replacement: 98, proposed: 99, error: .second), .invalid(3, .first),
            ])
    }

    @Test("Each of several validating properties tells its own coercions from those of the others")
    func severalOfOneInner() {
        let inner = MutableProperty(0)
        let first = Even(inner, Self.even)
        let second = Even(inner) { $0 == 98 ? .invalid(.second) : Self.even($0) }
        inner.signal.observeValues { value in
            if value == 1 { (inner.value, first.value, second.value, first.value) = (2, 99, 4, 99) }
        }
        inner.value = 1
        #expect(inner.value == 98)
        #expect(first.result.value == .coerced(replacement: 98, proposed: 99, error: .second))
        #expect(second.result.value == .invalid(98, .second))
    }

    @Test("A property that depends on one with an inner property sees the coercion")
    func chained() {
        let inner = MutableProperty(0)
        let property = Even(inner, Self.even)
        let dependent = Even(MutableProperty(0), with: property) { $1 == 99 ? .valid : .invalid(.first) }
        let action = Action<Void, Int, NoError>(validated: dependent) { SignalProducer(value: $0) }
        inner.signal.observeValues { value in
            if value == 1 { (inner.value, property.value) = (2, 99) }
        }
        inner.value = 1
        #expect(dependent.result.value == .valid(0))
        #expect(action.isEnabled.value)
    }

    @Test("When what it depends on changes, the value that was set on the inner property last is checked again")
    func dependencyAfterChange() {
        let (inner, limit) = (MutableProperty(0), MutableProperty(10))
        let property = Even(inner, with: limit) { $0 <= $1 ? .valid : .invalid(.first) }
        inner.signal.take(first: 1).observeValues { _ in (inner.value, limit.value) = (5, 3) }
        inner.value = 1
        #expect(property.value == 5)
        #expect(property.result.value == .invalid(5, .first))
        limit.value = 7
        #expect(property.result.value == .valid(5))
    }

    @Test("It is checked by what an observer has set just before", arguments: [true, false])
    func dependencySetInObserver(hasInner: Bool) {
        let (limit, seen) = (MutableProperty(10), Log<Int>())
        let validator: @Sendable (Int, Int) -> Even.Decision = { $0 <= $1 ? .valid : .coerced($1, nil) }
        let property =
            hasInner ? Even(MutableProperty(5), with: limit, validator) : Even(5, with: limit, validator)
        limit.signal.take(first: 1).observeValues { _ in
            limit.value = 3
            seen.add(property.value)
        }
        limit.value = 7
        #expect(seen.entries == [3])
    }

    @Test("A proposal that comes while a value of the inner property is checked counts")
    func proposedDuringCheck() {
        let inner = MutableProperty(0)
        let proposal = Shared<@Sendable () -> Void>({})
        let property = Even(inner) { number in
            if number == 1 { onThreadsBlocking(1) { _ in proposal.value() } }
            return Self.even(number)
        }
        proposal.value = { property.value = 99 }
        inner.value = 1
        #expect(property.value == 98)
        #expect(property.result.value == .coerced(replacement: 98, proposed: 99, error: .second))
        proposal.value = {}
    }
}
