/// A dictionary that forgets everything when it is full. Programs need few of its keys; the limit is for unusual ones.
struct LimitedCache<Key: Hashable, Value> {
    private let limit: Int
    private var values: [Key: Value] = [:]

    init(limit: Int) { self.limit = limit }

    subscript(key: Key) -> Value? { values[key] }

    mutating func insert(_ value: Value, for key: Key) {
        if values.count == limit { values = [:] }
        values.updateValue(value, forKey: key)
    }
}
