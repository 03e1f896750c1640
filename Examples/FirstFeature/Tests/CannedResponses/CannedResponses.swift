import Foundation

/// The canned answers, one folder for each feature.
public enum CannedResponses {
    public static func folder(_ feature: String) -> URL {
        (Bundle.module.resourceURL ?? Bundle.module.bundleURL).appending(path: feature)
    }
}
