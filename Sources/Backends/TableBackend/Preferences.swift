import LocalBackend

/// What a client would like, in the fields `Prefer`.
struct Preferences: Equatable, Sendable {
    enum Resolution: String, Sendable {
        case mergeDuplicates = "merge-duplicates"
        case ignoreDuplicates = "ignore-duplicates"
    }

    var wantsRepresentation = false
    var wantsCount = false
    var resolution: Resolution?

    /// What is not known is ignored, as the RFC has it.
    init(_ headers: LocalBackend.Headers) {
        for preference in headers.list("Prefer") {
            switch preference {
            case "return=representation": wantsRepresentation = true
            case "count=exact": wantsCount = true
            default:
                if preference.hasPrefix("resolution=") {
                    resolution = Resolution(rawValue: String(preference.dropFirst("resolution=".count)))
                }
            }
        }
    }
}
