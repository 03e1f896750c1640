/// A cache of one value for each recently met type.
///
/// The table is read for each value of a body, so it uses raw memory: an array in a class is checked for exclusive
/// access and retained at each read. One coder uses a table at a time, and calls ``deallocate()`` at its end.
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
