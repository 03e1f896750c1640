/// The part of an observed query that depends on the type of its objects.
protocol ObservedQuestion: Sendable {
    /// Asks the store; returns the present ``ObservedObjects``, or nil if the store was deallocated.
    func ask() throws(StoreError) -> (any AnyObject & Sendable)?
    /// Returns an answer with some changes; nil if the store must be asked.
    func edited(_ answer: any AnyObject & Sendable, by edits: [TableEdit]) -> (any AnyObject & Sendable)?
    /// Returns whether two answers have the same objects; false if they cannot be compared.
    func isSame(_ lhs: any AnyObject & Sendable, _ rhs: any AnyObject & Sendable) -> Bool
    /// Returns true if inserting or deleting one of these objects of the question's table could change `answer`.
    func isConcerned<Element: Sendable>(by objects: [Element], _ answer: (any AnyObject & Sendable)?) -> Bool
}

/// The objects of an answer.
final class ObservedObjects<Object: Sendable>: Sendable {
    let all: [Object]

    init(_ all: [Object]) { self.all = all }
}

struct TypedQuestion<Object: Identifiable & Sendable>: ObservedQuestion where Object.ID: Primitive {
    private let filter: Filter<Object>
    private let limit: Int?
    private let comparings: [Comparing]
    private let askStore: @Sendable () throws(StoreError) -> [Object]?
    private let areSame: (@Sendable ([Object], [Object]) -> Bool)?
    /// True if an answer can be changed without the store, which alone knows the objects before a page.
    private let isEditable: Bool

    init(
        _ question: Question<Object>, id: Attribute<Object>, areSame: (@Sendable ([Object], [Object]) -> Bool)?,
        isEditable: Bool, ask: @escaping @Sendable () throws(StoreError) -> [Object]?
    ) throws(StoreError) {
        self.isEditable = isEditable && question.offset == 0
        filter = try Filter(question.pagedCondition(id: id))
        limit = question.limit
        comparings = (question.criteria + [SortCriterion(id)]).map { $0.comparing }
        self.areSame = areSame
        askStore = ask
    }

    func ask() throws(StoreError) -> (any AnyObject & Sendable)? {
        guard let objects = try askStore() else { return nil }
        return ObservedObjects(objects)
    }

    func isSame(_ lhs: any AnyObject & Sendable, _ rhs: any AnyObject & Sendable) -> Bool {
        areSame?(objects(of: lhs), objects(of: rhs)) ?? false
    }

    /// The objects of one of this question's answers, which are all made by ``ask()``.
    private func objects(of answer: any AnyObject & Sendable) -> [Object] {
        unsafeDowncast(answer, to: ObservedObjects<Object>.self).all
    }

    func isConcerned<Element: Sendable>(by objects: [Element], _ answer: (any AnyObject & Sendable)?) -> Bool {
        // Two stores may keep different models in one table.
        guard Element.self == Object.self else { return true }
        let answer = answer.map { self.objects(of: $0) }
        // The types are the same; a cast would check that for each object.
        return unsafeBitCast(objects, to: [Object].self).contains { isConcerned(by: $0, answer) }
    }

    private func isConcerned(by object: Object, _ answer: [Object]?) -> Bool {
        guard filter.passes(object) else { return false }
        guard let limit, let answer, answer.count >= limit else { return true }
        // Objects that come after a full page do not change it.
        guard let last = answer.last else { return false }
        return withUnsafePointer(to: object) { object in
            withUnsafePointer(to: last) { last in order(UnsafeRawPointer(object), UnsafeRawPointer(last)) <= 0 }
        }
    }

    /// Returns a negative number, zero or a positive one if the first object comes before, with or after the second.
    private func order(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Int {
        for comparing in comparings {
            let order = comparing(lhs, rhs)
            if order != 0 { return order }
        }
        return 0
    }
}

// MARK: - Changing an answer

// Objects are reached by their addresses, since generic code would copy each one that it compares.
extension TypedQuestion {
    func edited(_ answer: any AnyObject & Sendable, by edits: [TableEdit]) -> (any AnyObject & Sendable)? {
        guard isEditable else { return nil }
        var objects = objects(of: answer)
        for edit in edits {
            // Two stores may keep different models in one table.
            guard let touched = edit.touched as? ObservedObjects<Object>,
                let present = edit.present as? ObservedObjects<Object>,
                let edited = replacing(touched.all, by: present.all, in: objects)
            else { return nil }
            objects = edited
        }
        return ObservedObjects(objects)
    }

    /// Returns the answer with the objects that have the ids of `touched` replaced by those of `present` that belong to
    /// it; nil if only the store knows the new answer.
    private func replacing(_ touched: [Object], by present: [Object], in answer: [Object]) -> [Object]? {
        let isFull = limit.map { answer.count >= $0 } ?? false
        if isFull, answer.count == 0 { return nil }
        let insertions = insertions(of: present, in: answer, isFull: isFull)
        let gone = places(withIDsOf: touched, in: answer)
        let count = answer.count - gone.count + insertions.count
        // Of the objects that a full page leaves out, it is known only that they come after its last one.
        if let limit, isFull, count < limit { return nil }

        var edited: [Object] = []
        edited.reserveCapacity(count)
        var position = 0
        var removed = gone[...]
        func copy(upTo end: Int) {
            while let next = removed.first, next < end {
                edited += answer[position..<next]
                position = next + 1
                removed.removeFirst()
            }
            edited += answer[position..<end]
            position = end
        }
        for (place, index) in insertions {
            copy(upTo: place)
            edited.append(present[index])
        }
        copy(upTo: answer.count)
        if let limit { edited.removeLast(max(0, count - limit)) }
        return edited
    }

    /// Returns the places of the objects with the ids of `touched`, in their order.
    private func places(withIDsOf touched: [Object], in answer: [Object]) -> [Int] {
        let stride = MemoryLayout<Object>.stride
        // The last criterion is the id.
        let compareIDs = comparings[comparings.count - 1]
        return answer.withUnsafeBytes { answer in
            touched.withUnsafeBytes { touched in
                guard let first = answer.baseAddress, let firstTouched = touched.baseAddress else { return [] }
                return (0..<answer.count / stride).filter { place in
                    (0..<touched.count / stride).contains { index in
                        compareIDs(first + place &* stride, firstTouched + index &* stride) == 0
                    }
                }
            }
        }
    }

    /// Returns the places at which those of `present` that belong to the answer are to be inserted, in their order,
    /// with their indexes.
    private func insertions(of present: [Object], in answer: [Object], isFull: Bool) -> [(place: Int, index: Int)] {
        let stride = MemoryLayout<Object>.stride
        let count = answer.count
        return answer.withUnsafeBytes { answer in
            present.withUnsafeBytes { objects in
                var places: [(place: Int, index: Int)] = []
                guard let firstObject = objects.baseAddress else { return places }
                // Nothing is compared with an empty answer.
                let first = answer.baseAddress ?? firstObject
                func compare(_ index: Int, withAnswerAt place: Int) -> Int {
                    order(firstObject + index &* stride, first + place &* stride)
                }
                for index in present.indices where filter.passes(present[index]) {
                    if isFull, compare(index, withAnswerAt: count - 1) > 0 { continue }
                    var (low, high) = (0, count)
                    while low < high {
                        let middle = (low + high) / 2
                        if compare(index, withAnswerAt: middle) > 0 { low = middle + 1 } else { high = middle }
                    }
                    // Objects for the same place are few.
                    var next = places.count
                    var isKnown = false
                    while next > 0, places[next - 1].place >= low, !isKnown {
                        let other = places[next - 1]
                        let difference =
                            other.place > low
                            ? 1 : order(firstObject + other.index &* stride, firstObject + index &* stride)
                        if difference < 0 { break }
                        // Two versions of one object may have been read.
                        isKnown = difference == 0
                        next -= 1
                    }
                    if !isKnown { places.insert((low, index), at: next) }
                }
                return places
            }
        }
    }
}
