import Foundation

/// The path of one of this package's programs, which a build puts beside the tests.
public func builtProgram(_ name: String) -> String {
    #if os(Linux)
    let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    #else
    let tests = (Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main).bundleURL
    #endif
    return tests.deletingLastPathComponent().appending(path: name).path(percentEncoded: false)
}
