import Feedback
import Foundation

extension Transport {
    /// Continues downloads that were cut, instead of beginning anew.
    ///
    /// ```swift
    /// let transport = DefaultTransport().resuming().retrying()
    /// ```
    ///
    /// The part of a download that has come stays beside the file, in hidden files `.….part` and `.….resume`, if the download
    /// fails or is cancelled. The next download of the same URL to the same file asks for the rest (`Range`, `If-Range`). The
    /// part is used only if the server says that the file is still the same one, by a strong `ETag`, or a `Last-Modified` a
    /// minute before the first answer; otherwise the download begins anew. So it does if the program has ended meanwhile
    /// without an end of the download, if the answer is compressed, and after a redirect to another URL than before.
    ///
    /// The parts of downloads that are never continued stay until their files are downloaded, or you remove them. Requests
    /// with credentials are continued only if these name their user.
    public func resuming() -> some Transport { ResumingTransport(transport: self) }
}

private struct ResumingTransport<Wrapped: Transport>: Transport {
    let transport: Wrapped

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        guard case .file(let file, let limit) = request.destination, let source = request.source,
            let part = DownloadPart(for: file, source: source)
        else { return try await transport.send(request) }
        return try await download(request, to: part, limit: limit)
    }

    private func download(
        _ request: TransportRequest, to part: DownloadPart, limit: Int
    ) async throws(CoreError) -> TransportResponse {
        let (isContinued, url) = (part.note != nil, request.url)
        let answer = Locked<TransportResponse?>(nil)
        var pieces = ByteStream { [transport, request = request.continuing(part)] body throws(CoreError) in
            var request = request
            request.destination = .stream(body)
            let response = try await transport.send(request)
            answer.withLock { $0 = response }
            return response
        }
        pieces.checkHead = { [part] status, field in part.begin(status: status, field, from: url, limit: limit) }
        do throws(CoreError) {
            for try await bytes in pieces { try part.append(bytes, from: url, limit: limit) }
            guard let response = answer.withLock(\.self) else { throw .cancelled }
            if isContinued, response.status == 416 {
                part.clear()
                return try await download(request, to: part, limit: limit)
            }
            guard response.isSuccess else {
                if [404, 410, 412].contains(response.status) { part.discard() } else { part.keep() }
                return response
            }
            if !part.hasBegun,
                let failure = part.begin(
                    status: response.status, response.header, from: url, limit: limit)
            {
                throw failure
            }
            try part.finish(from: url)
            return try response.ofWholeFile
        } catch {
            if isContinued, part.isRefused {
                part.clear()
                return try await download(request, to: part, limit: limit)
            }
            part.keep()
            throw error
        }
    }
}

extension TransportRequest {
    /// A number for what is asked for; `nil` if it cannot be continued.
    fileprivate var source: UInt64? {
        guard method == .GET, body == nil, !isConditional,
            !["Range", "If-Range", "If-Match", "If-Unmodified-Since"].contains(where: { headers[$0] != nil })
        else { return nil }
        // Without a name, they may be anybody's.
        if let credentials, credentials.0.user == nil { return nil }
        return Fingerprint(
            of: url.absoluteString, headers["Accept"] ?? "", headers["Accept-Language"] ?? "",
            credentials?.0.user.map { "user \($0)" } ?? ""
        ).value
    }

    /// Returns the request for the bytes that the part lacks.
    fileprivate func continuing(_ part: DownloadPart) -> TransportRequest {
        guard let note = part.note else { return self }
        var request = self
        request.headers["Range"] = "bytes=\(note.count)-"
        request.headers["If-Range"] = note.version.value
        if let observer = progress {
            request.progress = { progress in
                var progress = progress
                progress.bytesReceived += part.offset
                progress.bytesToReceive = progress.bytesToReceive.map { $0 + part.offset }
                observer(progress)
            }
        }
        return request
    }
}

extension TransportResponse {
    /// The answer as if all of the file had come with it.
    fileprivate var ofWholeFile: TransportResponse {
        get throws(CoreError) {
            var response = self
            response.body = Data()
            guard status == 206, let url = head.url else { return response }
            let names = ["content-range", "content-length"]
            let headers = HTTPHeaders(headers.filter { !names.contains($0.name.lowercased()) })
            return try TransportResponse(status: 200, headers: headers, url: url)
        }
    }
}
