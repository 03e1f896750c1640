import Foundation

/// The memory of this process that is in use, in megabytes. Other tests use memory, too, so a test that needs it to be exact
/// runs in a process of its own.
func residentMegabytes() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
        let pages = status.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return pages * Int(getpagesize()) / 1_000_000
}
