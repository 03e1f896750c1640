/// Remembers a value for each of the types that were met lately.
///
/// In memory of its own, since an array in a class is checked for exclusive access and retained each time it is read, and this
/// is asked for each value of a body. A table is used by one coder at a time; the coder calls ``deallocate()``.
struct TypeTable<Value: BitwiseCopyable> {
    private static var count: Int { 32 }
    private let entries: UnsafeMutablePointer<(type: ObjectIdentifier?, value: Value?)>

    init() {
        entries = .allocate(capacity: Self.count)
        entries.initialize(repeating: (nil, nil), count: Self.count)
    }

    func deallocate() { entries.deallocate() }

    @inline(__always)
    func value(of type: ObjectIdentifier, orMake make: () -> Value) -> Value {
        let entry = entries + (type.address &>> 4) & (Self.count &- 1)
        if entry.pointee.type == type, let value = entry.pointee.value { return value }
        let value = make()
        entry.pointee = (type, value)
        return value
    }
}

extension ObjectIdentifier {
    @inline(__always) var address: Int { Int(bitPattern: self) }
}
