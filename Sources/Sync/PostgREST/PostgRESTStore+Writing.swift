import Feedback
import Networking
import Persistence

// MARK: - Adding and replacing

extension PostgRESTStore {
    @discardableResult
    public func insert(_ object: Object) async throws(StoreError) -> Object {
        try await insert([object]).first ?? object
    }

    public func insert(_ object: Object) -> SignalProducer<Object, StoreError> {
        SignalProducer { () async throws(StoreError) in try await insert(object) }
    }

    @discardableResult
    public func insert(_ objects: [Object]) async throws(StoreError) -> [Object] {
        if objects.isEmpty { return [] }
        let stored = try await written(schema.json(of: objects).map(PostgRESTRequest.insert))
        if stored.count < objects.count { try refuse(objects, except: Set(stored.map(\.id))) }
        return stored
    }

    public func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        SignalProducer { () async throws(StoreError) in try await insert(objects) }
    }

    @discardableResult
    public func update(_ object: Object) async throws(StoreError) -> Object {
        let condition = try condition(ids: [object.id])
        let request = schema.json(of: object).map { PostgRESTRequest.update(condition, to: $0, key: key) }
        guard let stored = try await written(request).first else { throw .missing(id: object.id.printed) }
        return stored
    }

    public func update(_ object: Object) -> SignalProducer<Object, StoreError> {
        SignalProducer { () async throws(StoreError) in try await update(object) }
    }

    /// Replaces all of `objects`, or none if one is missing. If another client deletes one at the same moment, it
    /// exists again afterwards.
    @discardableResult
    public func update(_ objects: [Object]) async throws(StoreError) -> [Object] {
        if objects.isEmpty { return [] }
        var stored: Set<Object.ID> = []
        for ids in batches(of: objects.map(\.id), length: configuration.maximumConditionLength / 2) {
            let isStored = Condition(schema.id.attribute, in: ids.map(\.primitiveValue)) ?? .never
            stored.formUnion(try await execute(filter(where: isStored)).map(\.id))
        }
        if let missing = objects.first(where: { !stored.contains($0.id) }) { throw .missing(id: missing.id.printed) }
        return try await upsert(objects)
    }

    public func update(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        SignalProducer { () async throws(StoreError) in try await update(objects) }
    }

    @discardableResult
    public func upsert(_ object: Object) async throws(StoreError) -> Object {
        try await upsert([object]).first ?? object
    }

    public func upsert(_ object: Object) -> SignalProducer<Object, StoreError> {
        SignalProducer { () async throws(StoreError) in try await upsert(object) }
    }

    /// Adds or replaces all of `objects`; of objects with the same id, the last one counts.
    @discardableResult
    public func upsert(_ objects: [Object]) async throws(StoreError) -> [Object] {
        if objects.isEmpty { return [] }
        // PostgreSQL refuses to change one row twice in one statement.
        let last = Dictionary(objects.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var seen: Set<Object.ID> = []
        let rows = objects.compactMap { seen.insert($0.id).inserted ? last[$0.id] : nil }
        let answer = try await written(schema.json(of: rows).map(PostgRESTRequest.upsert))
        var stored = Dictionary(answer.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        if answer.count < rows.count {
            let unchanged = try await unchanged(rows.filter { stored[$0.id] == nil })
            stored.merge(unchanged.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            if stored.count < rows.count { try refuse(rows, except: Set(stored.keys)) }
        }
        return objects.map { stored[$0.id] ?? $0 }
    }

    public func upsert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        SignalProducer { () async throws(StoreError) in try await upsert(objects) }
    }

    /// Throws if one of the objects is missing in the answer to their write. A trigger of the server, for example, can leave out
    /// a row without an error.
    private func refuse(_ objects: [Object], except stored: Set<Object.ID>) throws(StoreError) {
        guard let missing = objects.first(where: { !stored.contains($0.id) }) else { return }
        throw .refused(
            reason:
                "the server has answered without an error, and has left out \(schema.name) \(missing.id.printed); it may "
                + "not allow this user to write it")
    }

    /// Returns those of the objects that the server has with the same values. It may have left them out of an answer since
    /// there was nothing to change, as PostgreSQL's `suppress_redundant_updates_trigger` does.
    private func unchanged(_ objects: [Object]) async throws(StoreError) -> [Object] {
        let written = Dictionary(objects.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var unchanged: [Object] = []
        for ids in batches(of: objects.map(\.id), length: configuration.maximumConditionLength / 2) {
            let isWritten = Condition(schema.id.attribute, in: ids.map(\.primitiveValue)) ?? .never
            for object in try await execute(filter(where: isWritten)) {
                guard let mine = written[object.id], case let .success(row) = schema.json(of: object),
                    case let .success(wanted) = schema.json(of: mine), row == wanted
                else { continue }
                unchanged.append(object)
            }
        }
        return unchanged
    }

    /// Performs a write, and returns the objects of the answer. If the answer cannot be read, the error does not say that the
    /// write has failed, since the server has answered without an error.
    private func written(_ request: Result<PostgRESTRequest, CoreError>) async throws(StoreError) -> [Object] {
        let answer = try await answer(to: request) { .success($0) }
        switch schema.readableRows(fromJSON: answer.body) {
        case let .success(page):
            if let row = page.unreadable.first { throw row.object.answerError }
            return page.objects
        case let .failure(error): throw .unreadableAnswer(error)
        }
    }
}

extension StoreError {
    /// The error of a write that the server has answered without an error, and in a form that cannot be read.
    fileprivate static func unreadableAnswer(_ error: CoreError) -> StoreError {
        .outcomeUnknown(reason: "the server's answer cannot be read: \("\(error)".clause)")
    }
}

// MARK: - Deleting

extension PostgRESTStore {
    public func delete(_ object: Object) async throws(StoreError) { try await delete([object]) }

    public func delete(_ object: Object) -> SignalProducer<Never, StoreError> { delete([object]) }

    /// Removes those of `objects` that exist, many with one request.
    public func delete(_ objects: [Object]) async throws(StoreError) {
        for ids in batches(of: objects.map(\.id), length: configuration.maximumConditionLength) {
            _ = try await delete(try condition(ids: ids))
        }
    }

    /// Splits ids into lists of at most `count`, whose conditions each fit into this number of bytes of a URL. A condition
    /// of one id may be longer.
    func batches(of ids: [Object.ID], length: Int, count: Int = .max) -> [[Object.ID]] {
        func size(of texts: [String]) -> Int {
            PostgRESTCondition.test(key, "in", .list(texts)).length(key: key)
        }
        let empty = size(of: [])
        var batches: [[Object.ID]] = []
        var rest = 0
        for id in ids {
            // Three bytes for the comma.
            let needed = size(of: [id.primitiveValue.postgresText ?? ""]) - empty + 3
            if needed > rest || batches.last.map({ $0.count >= count }) ?? true {
                batches.append([])
                rest = length - empty
            }
            batches[batches.count - 1].append(id)
            rest -= needed
        }
        return batches
    }

    public func delete(_ objects: [Object]) -> SignalProducer<Never, StoreError> {
        SignalProducer<Void, StoreError> { () async throws(StoreError) in try await delete(objects) }
            .then(SignalProducer<Never, StoreError>.empty)
    }

    /// Removes the objects that match a condition. Throws `StoreError.refused(reason:)` if the condition has no exact
    /// form in the server's dialect.
    @discardableResult
    public func delete(where condition: Condition<Object>) async throws(StoreError) -> Int {
        let translation = try translation(condition).fitting(configuration.maximumConditionLength, key: key)
        guard translation.isExact else {
            throw .refused(
                reason: "nothing was deleted, since the condition \(condition) has no exact form in the server's "
                    + "dialect; fetch the objects, and delete those")
        }
        return translation.condition == .never ? 0 : try await delete(translation.condition)
    }

    public func delete(where condition: Condition<Object>) -> SignalProducer<Int, StoreError> {
        SignalProducer { () async throws(StoreError) in try await delete(where: condition) }
    }

    private func delete(_ condition: PostgRESTCondition) async throws(StoreError) -> Int {
        let answer = try await answer(to: .success(.delete(condition, key: key))) { .success($0) }
        switch answer.total {
        case let .success(count): return count
        case let .failure(error): throw .unreadableAnswer(error)
        }
    }
}
