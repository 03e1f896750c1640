import Foundation

/// The canned answers of the tests, one folder for each feature.
public enum CannedResponses {
    /// The folder of a feature: `CannedResponses.folder("Cities")`.
    public static func folder(_ feature: String) -> URL {
        (Bundle.module.resourceURL ?? Bundle.module.bundleURL).appending(path: feature)
    }
}
