import LocalBackend

/// The preferences of a client, from its header fields `Prefer`. If a preference has several values, the first one
/// counts.
struct Preferences: Equatable, Sendable {
    enum Resolution: String, CaseIterable, Sendable {
        case mergeDuplicates = "resolution=merge-duplicates"
        case ignoreDuplicates = "resolution=ignore-duplicates"
    }

    enum Return: String, CaseIterable, Sendable {
        case representation = "return=representation"
        case minimal = "return=minimal"
        case headersOnly = "return=headers-only"
    }

    enum Count: String, CaseIterable, Sendable {
        case exact = "count=exact"
        case planned = "count=planned"
        case estimated = "count=estimated"
    }

    enum Missing: String, CaseIterable, Sendable {
        case defaults = "missing=default"
        case nulls = "missing=null"
    }

    enum Handling: String, CaseIterable, Sendable {
        case strict = "handling=strict"
        case lenient = "handling=lenient"
    }

    let resolution: Resolution?
    let representation: Return?
    let count: Count?
    let missing: Missing?
    let handling: Handling?
    let maximumAffected: Int?
    private let unknown: [String]

    init(_ headers: LocalBackend.Headers) {
        let preferences = headers.list("Prefer")
        var unknown = preferences
        func first<Preference: RawRepresentable & CaseIterable>(_ type: Preference.Type) -> Preference?
        where Preference.RawValue == String {
            unknown.removeAll { Preference(rawValue: $0) != nil }
            return preferences.lazy.compactMap { Preference(rawValue: $0) }.first
        }
        resolution = first(Resolution.self)
        representation = first(Return.self)
        count = first(Count.self)
        missing = first(Missing.self)
        handling = first(Handling.self)
        let limits = preferences.filter { $0.hasPrefix("max-affected=") }
        maximumAffected = limits.first.flatMap { Int($0.dropFirst("max-affected=".count)) }
        unknown.removeAll { $0.hasPrefix("max-affected=") || $0.hasPrefix("timezone=") || $0.hasPrefix("tx=") }
        self.unknown = unknown
    }

    /// Refuses unknown preferences if the client asks for strict handling; otherwise they are ignored.
    func check() throws(TableRejection) {
        if handling == .strict, !unknown.isEmpty {
            throw TableRejection(
                status: 400, code: "PGRST122", message: "Invalid preferences given with handling=strict",
                details: "Invalid preferences: \(unknown.joined(separator: ", "))")
        }
    }

    /// Refuses a change of more rows than the client allows.
    func check(affected: Int) throws(TableRejection) {
        if handling == .strict, let maximumAffected, affected > maximumAffected {
            throw TableRejection(
                status: 400, code: "PGRST124", message: "Query result exceeds max-affected preference constraint",
                details: "The query affects \(affected) rows")
        }
    }

    // MARK: - Preference-Applied

    var appliedToReading: String? { joined([count?.rawValue, handling?.rawValue]) }

    var appliedToInserting: String? {
        joined([
            resolution?.rawValue, missing?.rawValue, representation?.rawValue, count?.rawValue, handling?.rawValue,
        ])
    }

    var appliedToUpdating: String? {
        joined([missing?.rawValue, representation?.rawValue, count?.rawValue, handling?.rawValue, appliedLimit])
    }

    var appliedToDeleting: String? {
        joined([representation?.rawValue, count?.rawValue, handling?.rawValue, appliedLimit])
    }

    private var appliedLimit: String? { handling == .strict ? maximumAffected.map { "max-affected=\($0)" } : nil }

    private func joined(_ preferences: [String?]) -> String? {
        let preferences = preferences.compactMap { $0 }
        return preferences.isEmpty ? nil : preferences.joined(separator: ", ")
    }
}
