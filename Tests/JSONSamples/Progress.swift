import Foundation

/// Prints the progress of a long run.
package enum Progress {
    /// Prints a line at once, also if the output goes to a file.
    package static func show(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
