/// A property to sort by, the direction, and the place of objects without a value.
public struct SortCriterion<Object>: Sendable, Hashable {
    /// The directions of an order.
    public enum Order: Sendable, Hashable {
        /// The least value first.
        case ascending
        /// The greatest value first.
        case descending
    }

    /// The place of objects whose property is nil. It is the same in ascending and descending order.
    public enum NilPlace: Sendable, Hashable {
        /// Objects without a value come before all others.
        case first
        /// Objects without a value come after all others.
        case last
    }

    /// The property that decides.
    public let attribute: Attribute<Object>
    /// The direction.
    public let order: Order
    /// The place of objects without a value.
    public let nilPlace: NilPlace

    /// Sorts by a property, by default with nil last. Text is ordered by the bytes of its composed form (NFC), enums by
    /// raw value.
    @inlinable
    public init<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ order: Order = .ascending, nil nilPlace: NilPlace = .last
    ) {
        self.init(Attribute(property), order, nil: nilPlace)
    }

    /// Sorts by an attribute that is known only while the program runs.
    public init(_ attribute: Attribute<Object>, _ order: Order = .ascending, nil nilPlace: NilPlace = .last) {
        self.attribute = attribute
        self.order = order
        self.nilPlace = nilPlace
    }

    /// - Parameter erased: A criterion of the same type of objects.
    init(erased: AnySortCriterion) {
        self.init(
            Attribute(erased: erased.attribute), erased.isAscending ? .ascending : .descending,
            nil: erased.isNilFirst ? .first : .last)
    }

    /// The criterion without the type of its objects.
    package var erased: AnySortCriterion {
        AnySortCriterion(attribute.erased, isAscending: order == .ascending, isNilFirst: nilPlace == .first)
    }

    var comparing: Comparing {
        attribute.erased.comparing(descending: order == .descending, nilFirst: nilPlace == .first)
    }
}

extension SortCriterion: CustomStringConvertible {
    public var description: String {
        "\(attribute) \(order)" + (attribute.isOptional ? ", nil \(nilPlace)" : "")
    }
}
