import Persistence

extension PrimitiveValue {
    /// Returns true if the outbox stores both values as the same one.
    ///
    /// It stores the microseconds of a date. A server may send more, and about half of the dates that are made from
    /// milliseconds have another last bit than the date that is read back.
    static func areStoredAlike(_ one: PrimitiveValue?, _ other: PrimitiveValue?) -> Bool {
        if one == other { return true }
        guard case let .date(one)? = one, case let .date(other)? = other, let one = Timestamp(one),
            let other = Timestamp(other)
        else { return false }
        return one.date == other.date
    }
}
