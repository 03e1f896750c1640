import Foundation
import Presentation

/// Compares a text with the one that was recorded in a file beside the test: `Snapshots/<test file>/<name>.txt`.
///
/// ```swift
/// @Test("A list that failed to load offers to try again")
/// func failure() {
///     expectSnapshot(of: renderer.render(state), named: "failed")
/// }
/// ```
///
/// `RECORD_SNAPSHOTS=1 swift test --filter CitiesRendererSnapshotTests` records all of that suite again; look at the changes
/// before you commit them.
public func expectSnapshot(
    _ text: String, named name: String, fileID: String = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
) {
    let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let test = URL(filePath: "\(filePath)")
    let folder = test.deletingLastPathComponent()
        .appending(path: "Snapshots").appending(path: test.deletingPathExtension().lastPathComponent)
    let record = ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1"
    if let message = compare(text, with: folder.appending(path: "\(name).txt"), record: record) {
        location.fail(message)
    }
}

/// Compares a screen, as plain text, with the one that was recorded.
public func expectSnapshot<Action>(
    of screen: Screen<Action>, width: Int = 80, named name: String, fileID: String = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) {
    expectSnapshot(
        screen.text(width: width), named: name, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// - Returns: A message for the failure; `nil` if the text is as it was recorded.
func compare(_ text: String, with file: URL, record: Bool) -> String? {
    let suite = file.deletingLastPathComponent().lastPathComponent
    let command = "RECORD_SNAPSHOTS=1 swift test --filter \(suite)"
    if record {
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file, options: .atomic)
            return nil
        } catch {
            return "The snapshot \(file.lastPathComponent) could not be recorded: \(error)"
        }
    }
    guard let data = try? Data(contentsOf: file) else {
        return "There is no snapshot \(file.lastPathComponent) yet. Record it: \(command)\n\n\(text)"
    }
    let recorded = String(decoding: data, as: UTF8.self)
    guard recorded != text else { return nil }
    let difference = Difference(
        expected: recorded.split(separator: "\n", omittingEmptySubsequences: false),
        actual: text.split(separator: "\n", omittingEmptySubsequences: false))
    return """
        The screen is not as it was recorded in \(file.lastPathComponent) (- recorded, + now):

        \(difference)

        If that is how it should be, record it: \(command)
        """
}
