import Foundation
import LocalBackend
import Presentation

/// A file that the inspector offers for the screens of a browser, such as their recording.
public struct BrowserDownload: Sendable {
    /// The text of the download's link.
    public let title: String
    /// The name of the file.
    public let fileName: String
    let makeFile: @Sendable (ScreenStack) throws -> Data?

    /// Makes a download.
    ///
    /// - Parameter makeFile: Returns the file for a browser's screens; `nil` if there is none.
    public init(
        _ title: String, fileName: String, makeFile: @escaping @Sendable (ScreenStack) throws -> Data?
    ) {
        self.title = title
        self.fileName = fileName
        self.makeFile = makeFile
    }

    /// Returns the file as an answer that browsers save.
    func response(for screens: ScreenStack, headers: LocalBackend.Headers) throws -> LocalBackend.Response {
        guard let data = try makeFile(screens) else {
            throw LocalBackend.Refusal(404, "There is no \(fileName) for these screens.")
        }
        var headers = headers
        headers.add("Content-Disposition", "attachment; filename=\"\(safeName)\"")
        return .data(data, contentType: "application/octet-stream", headers: headers)
    }

    /// The name without the characters that have a meaning in a header field or a path.
    private var safeName: String {
        String(fileName.map { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) ? $0 : "-" })
    }
}
