import Foundation

/// One part of a multipart form (RFC 7578).
public struct MultipartPart: Sendable, Hashable {
    let name: String
    let fileName: String?
    let contentType: String?
    let content: RequestBody.Piece

    /// A field of text.
    public static func text(_ name: String, _ text: String) -> MultipartPart {
        MultipartPart(name: name, fileName: nil, contentType: nil, content: .data(Data(text.utf8)))
    }

    /// Bytes in memory, sent as a file if it is given a name.
    public static func data(
        _ name: String, _ data: Data, fileName: String? = nil, contentType: String = "application/octet-stream"
    ) -> MultipartPart {
        MultipartPart(name: name, fileName: fileName, contentType: contentType, content: .data(data))
    }

    /// A file, which is read while it is sent; it has its own name, unless you pass another one.
    public static func file(
        _ name: String, _ url: URL, fileName: String? = nil, contentType: String = "application/octet-stream"
    ) -> MultipartPart {
        MultipartPart(
            name: name, fileName: fileName ?? url.lastPathComponent, contentType: contentType, content: .file(url))
    }

    fileprivate var head: String {
        var head = "Content-Disposition: form-data; name=\"\(escaped(name))\""
        if let fileName { head += "; filename=\"\(escaped(fileName))\"" }
        if let contentType { head += "\r\nContent-Type: \(withoutLineBreaks(contentType))" }
        return head + "\r\n\r\n"
    }

    /// Returns a name escaped as browsers do it (HTML, 4.10.22.8).
    private func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private func withoutLineBreaks(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }))
    }
}

extension RequestBody {
    /// A form of several parts, as a browser sends it.
    ///
    /// - Parameter boundary: The text that separates the parts. It must not occur in any of them.
    public static func multipart(
        _ parts: [MultipartPart], boundary: String = "feedback-\(UUID().uuidString)"
    ) -> RequestBody {
        var pieces: [Piece] = []
        for part in parts {
            pieces += [.data(Data("--\(boundary)\r\n\(part.head)".utf8)), part.content, .data(Data("\r\n".utf8))]
        }
        pieces.append(.data(Data("--\(boundary)--\r\n".utf8)))
        return RequestBody(content: .pieces(pieces), contentType: "multipart/form-data; boundary=\(boundary)")
    }
}
