// Initializers for each number of columns up to 16 besides the key. They do the same as the one for any number, which is written
// with a parameter pack: if the number is known, each value goes straight from its slot into the object. From a pack, the
// compiler of Swift 6.3 copies more than six values through a tuple, which takes up to a third of the time of reading a row.
// With a pack, it also crashes where a column has the wrong type and that of the model is not written.

@_documentation(visibility: internal)
extension Schema {
    @inlinable
    public init<A: Primitive>(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, indexes: [ColumnIndex] = []
    ) {
        self.init(name, [id.erased, a.erased], indexes) {
            make($0.next(), $0.next())
        }
    }

    @inlinable
    public init<A: Primitive, B: Primitive>(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, indexes: [ColumnIndex] = []
    ) {
        self.init(name, [id.erased, a.erased, b.erased], indexes) {
            make($0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<A: Primitive, B: Primitive, C: Primitive>(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        indexes: [ColumnIndex] = []
    ) {
        self.init(name, [id.erased, a.erased, b.erased, c.erased], indexes) {
            make($0.next(), $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<A: Primitive, B: Primitive, C: Primitive, D: Primitive>(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, indexes: [ColumnIndex] = []
    ) {
        self.init(name, [id.erased, a.erased, b.erased, c.erased, d.erased], indexes) {
            make($0.next(), $0.next(), $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive>(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, indexes: [ColumnIndex] = []
    ) {
        self.init(name, [id.erased, a.erased, b.erased, c.erased, d.erased, e.erased], indexes) {
            make($0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive>(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, indexes: [ColumnIndex] = []
    ) {
        self.init(name, [id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased], indexes) {
            make($0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive, G: Primitive>(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F, G) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, _ g: Column<Object, G>,
        indexes: [ColumnIndex] = []
    ) {
        self.init(name, [id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased, g.erased], indexes) {
            make($0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<
        A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive, G: Primitive, H: Primitive
    >(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F, G, H) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, _ g: Column<Object, G>,
        _ h: Column<Object, H>, indexes: [ColumnIndex] = []
    ) {
        self.init(
            name,
            [
                id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased, g.erased, h.erased,
            ], indexes
        ) {
            make($0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<
        A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive, G: Primitive, H: Primitive,
        I: Primitive
    >(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F, G, H, I) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, _ g: Column<Object, G>,
        _ h: Column<Object, H>, _ i: Column<Object, I>, indexes: [ColumnIndex] = []
    ) {
        self.init(
            name,
            [
                id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased, g.erased, h.erased, i.erased,
            ], indexes
        ) {
            make(
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(),
                $0.next())
        }
    }

    @inlinable
    public init<
        A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive, G: Primitive, H: Primitive,
        I: Primitive, J: Primitive
    >(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F, G, H, I, J) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, _ g: Column<Object, G>,
        _ h: Column<Object, H>, _ i: Column<Object, I>, _ j: Column<Object, J>, indexes: [ColumnIndex] = []
    ) {
        self.init(
            name,
            [
                id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased, g.erased, h.erased, i.erased,
                j.erased,
            ], indexes
        ) {
            make(
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(),
                $0.next(), $0.next())
        }
    }

    @inlinable
    public init<
        A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive, G: Primitive, H: Primitive,
        I: Primitive, J: Primitive, K: Primitive
    >(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F, G, H, I, J, K) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, _ g: Column<Object, G>,
        _ h: Column<Object, H>, _ i: Column<Object, I>, _ j: Column<Object, J>, _ k: Column<Object, K>,
        indexes: [ColumnIndex] = []
    ) {
        self.init(
            name,
            [
                id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased, g.erased, h.erased, i.erased,
                j.erased, k.erased,
            ], indexes
        ) {
            make(
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(),
                $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<
        A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive, G: Primitive, H: Primitive,
        I: Primitive, J: Primitive, K: Primitive, L: Primitive
    >(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F, G, H, I, J, K, L) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, _ g: Column<Object, G>,
        _ h: Column<Object, H>, _ i: Column<Object, I>, _ j: Column<Object, J>, _ k: Column<Object, K>,
        _ l: Column<Object, L>, indexes: [ColumnIndex] = []
    ) {
        self.init(
            name,
            [
                id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased, g.erased, h.erased, i.erased,
                j.erased, k.erased, l.erased,
            ], indexes
        ) {
            make(
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(),
                $0.next(), $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<
        A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive, G: Primitive, H: Primitive,
        I: Primitive, J: Primitive, K: Primitive, L: Primitive, M: Primitive
    >(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F, G, H, I, J, K, L, M) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, _ g: Column<Object, G>,
        _ h: Column<Object, H>, _ i: Column<Object, I>, _ j: Column<Object, J>, _ k: Column<Object, K>,
        _ l: Column<Object, L>, _ m: Column<Object, M>, indexes: [ColumnIndex] = []
    ) {
        self.init(
            name,
            [
                id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased, g.erased, h.erased, i.erased,
                j.erased, k.erased, l.erased, m.erased,
            ], indexes
        ) {
            make(
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(),
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<
        A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive, G: Primitive, H: Primitive,
        I: Primitive, J: Primitive, K: Primitive, L: Primitive, M: Primitive, N: Primitive
    >(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F, G, H, I, J, K, L, M, N) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, _ g: Column<Object, G>,
        _ h: Column<Object, H>, _ i: Column<Object, I>, _ j: Column<Object, J>, _ k: Column<Object, K>,
        _ l: Column<Object, L>, _ m: Column<Object, M>, _ n: Column<Object, N>, indexes: [ColumnIndex] = []
    ) {
        self.init(
            name,
            [
                id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased, g.erased, h.erased, i.erased,
                j.erased, k.erased, l.erased, m.erased, n.erased,
            ], indexes
        ) {
            make(
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(),
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<
        A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive, G: Primitive, H: Primitive,
        I: Primitive, J: Primitive, K: Primitive, L: Primitive, M: Primitive, N: Primitive, P: Primitive
    >(
        _ name: String, _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F, G, H, I, J, K, L, M, N, P) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, _ g: Column<Object, G>,
        _ h: Column<Object, H>, _ i: Column<Object, I>, _ j: Column<Object, J>, _ k: Column<Object, K>,
        _ l: Column<Object, L>, _ m: Column<Object, M>, _ n: Column<Object, N>, _ p: Column<Object, P>,
        indexes: [ColumnIndex] = []
    ) {
        self.init(
            name,
            [
                id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased, g.erased, h.erased, i.erased,
                j.erased, k.erased, l.erased, m.erased, n.erased, p.erased,
            ], indexes
        ) {
            make(
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(),
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next())
        }
    }

    @inlinable
    public init<
        A: Primitive, B: Primitive, C: Primitive, D: Primitive, E: Primitive, F: Primitive, G: Primitive, H: Primitive,
        I: Primitive, J: Primitive, K: Primitive, L: Primitive, M: Primitive, N: Primitive, P: Primitive, Q: Primitive
    >(
        _ name: String,
        _ make: @escaping @Sendable (Object.ID, A, B, C, D, E, F, G, H, I, J, K, L, M, N, P, Q) -> Object,
        _ id: Column<Object, Object.ID>, _ a: Column<Object, A>, _ b: Column<Object, B>, _ c: Column<Object, C>,
        _ d: Column<Object, D>, _ e: Column<Object, E>, _ f: Column<Object, F>, _ g: Column<Object, G>,
        _ h: Column<Object, H>, _ i: Column<Object, I>, _ j: Column<Object, J>, _ k: Column<Object, K>,
        _ l: Column<Object, L>, _ m: Column<Object, M>, _ n: Column<Object, N>, _ p: Column<Object, P>,
        _ q: Column<Object, Q>, indexes: [ColumnIndex] = []
    ) {
        self.init(
            name,
            [
                id.erased, a.erased, b.erased, c.erased, d.erased, e.erased, f.erased, g.erased, h.erased, i.erased,
                j.erased, k.erased, l.erased, m.erased, n.erased, p.erased, q.erased,
            ], indexes
        ) {
            make(
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(),
                $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next(), $0.next())
        }
    }
}
