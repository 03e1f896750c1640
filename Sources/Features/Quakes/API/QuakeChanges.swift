/// The difference between a feed and the quakes that are stored.
public struct QuakeChanges: Equatable, Sendable {
    public var inserted: [Quake] = []
    /// The quakes whose description has changed, with the new one.
    public var updated: [Quake] = []
    public var deleted: [Quake] = []

    public init(inserted: [Quake] = [], updated: [Quake] = [], deleted: [Quake] = []) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// Compares a feed with the stored quakes, in linear time.
    ///
    /// A quake whose magnitude is not above zero is not kept. A description that is older than the stored one changes
    /// nothing, since the feeds of different periods are written at different times.
    ///
    /// - Parameters:
    ///   - quakes: The quakes of the feed, one for each id.
    ///   - stored: Returns the stored quake with an id.
    public init<Failure>(
        from quakes: [Quake], stored: (Quake.ID) throws(Failure) -> Quake?
    ) throws(Failure) {
        for quake in quakes {
            let known = try stored(quake.id)
            switch (known, quake.magnitude > 0) {
            case let (known?, _) where known == quake || known.updated > quake.updated: continue
            case (nil, true): inserted.append(quake)
            case (_?, true): updated.append(quake)
            case let (known?, false): deleted.append(known)
            case (nil, false): continue
            }
        }
    }
}
