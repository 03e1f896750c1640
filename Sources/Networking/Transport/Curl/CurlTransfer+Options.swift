#if canImport(CCurl)
import CCurl
import Foundation

/// The libcurl options of a request.
extension CurlTransfer {
    /// Makes a handle ready to send the request.
    ///
    /// - Parameter resume: Called, on any thread, when a body that had nothing to send has more, or the reader of the
    ///   answer has room.
    func prepare(
        _ handle: UnsafeMutableRawPointer, _ configuration: CurlTransport.Configuration,
        resume: @escaping @Sendable () -> Void
    ) throws(CoreError) {
        if let body = request.body, ![.GET, .HEAD].contains(request.method) {
            upload = try CurlUpload(body, resume: resume)
        }
        self.resume = resume
        self.handle = handle
        lastActivity = .now
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_allow_http_only(handle)
        ccurl_leave_resolver(handle)
        _ = ccurl_enable(handle, CURLOPT_NOSIGNAL)
        _ = ccurl_enable(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS)
        // With gzip alone: libcurl does not tell the end of a body that is packed in another way from a part of it. A part of
        // a packed body cannot be unpacked.
        // Of a stream whose reader is slow, libcurl keeps all that it has unpacked of one read of 16 KB. (With smaller reads,
        // paused transfers over HTTP/2 can stall.)
        _ = ccurl_set_string(
            handle, CURLOPT_ACCEPT_ENCODING, request.headers["Range"] == nil ? "gzip" : "identity")
        setAddress(handle)
        setMethod(handle)
        setFields(handle)
        let connectTimeout = (request.connectTimeout ?? request.timeout).clamped
        _ = ccurl_set_long(
            handle, CURLOPT_CONNECTTIMEOUT_MS, max(1, Int((connectTimeout / .milliseconds(1)).rounded(.up))))
        if let file = configuration.trustedCertificates {
            _ = ccurl_set_string(handle, CURLOPT_CAINFO, file.path(percentEncoded: false))
            // Otherwise the system's folder of certificates is trusted too.
            _ = ccurl_set_string(handle, CURLOPT_CAPATH, nil)
        }
        if case .file = request.destination { _ = ccurl_set_long(handle, CURLOPT_BUFFERSIZE, 1 << 18) }
        _ = ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, message.baseAddress)
        _ = ccurl_set_callback(handle, CURLOPT_HEADERFUNCTION, receiveHeaderLine)
        _ = ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        _ = ccurl_set_callback(handle, CURLOPT_WRITEFUNCTION, receiveBody)
        _ = ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        _ = ccurl_set_before_request(handle, beforeRequest)
        _ = ccurl_set_pointer(handle, CURLOPT_PREREQDATA, context)
    }

    /// Sets the URL, composed of its parts, so that libcurl cannot find another host in it than `origin`.
    private func setAddress(_ handle: UnsafeMutableRawPointer) {
        let url = request.url
        let isIPv6 = origin.host.utf8.contains(UInt8(ascii: ":"))
        let host = "\(origin.scheme)://\(isIPv6 ? "[\(origin.host)]" : origin.host):\(origin.port)"
        _ = ccurl_enable(handle, CURLOPT_PATH_AS_IS)
        // On https, wait for a connection that is being made: it may be one that several requests share.
        if origin.scheme == "https" { _ = ccurl_enable(handle, CURLOPT_PIPEWAIT) }
        // No proxy leads back to this machine.
        if origin.isLoopback { _ = ccurl_set_string(handle, CURLOPT_PROXY, "") }
        let text = url.absoluteString
        if text.utf8.starts(with: host.utf8), text.utf8.dropFirst(host.utf8.count).first == UInt8(ascii: "/"),
            !text.utf8.contains(UInt8(ascii: "#"))
        {
            // The URL begins with its origin, so its path and its query follow. Taking it apart takes longer.
            _ = ccurl_set_string(handle, CURLOPT_URL, text)
            return
        }
        let path = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        _ = ccurl_set_string(handle, CURLOPT_URL, host + (path.isEmpty ? "/" : path) + query)
        if let user = url.user(percentEncoded: false) {
            _ = ccurl_set_string(handle, CURLOPT_USERNAME, user)
            _ = ccurl_set_string(handle, CURLOPT_PASSWORD, url.password(percentEncoded: false) ?? "")
        }
    }

    private func setMethod(_ handle: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        if let upload {
            _ = ccurl_enable(handle, CURLOPT_UPLOAD)
            _ = ccurl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.length ?? -1))
            _ = ccurl_set_callback(handle, CURLOPT_READFUNCTION, sendBody)
            _ = ccurl_set_pointer(handle, CURLOPT_READDATA, context)
            _ = ccurl_set_seek(handle, rewindBody)
            _ = ccurl_set_pointer(handle, CURLOPT_SEEKDATA, context)
            if !upload.isRepeatable {
                // A stream may have nothing to send when the last chunk of the answer comes.
                observeBody(handle)
            }
        } else if request.method == .HEAD {
            _ = ccurl_enable(handle, CURLOPT_NOBODY)
        } else if [.POST, .PUT, .PATCH].contains(request.method) {
            // An empty body with its length, which is what servers expect of these methods.
            _ = ccurl_set_long(handle, CURLOPT_POSTFIELDSIZE, 0)
            _ = ccurl_set_string(handle, CURLOPT_COPYPOSTFIELDS, "")
        }
        if ![.GET, .HEAD].contains(request.method) {
            _ = ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
    }

    /// Has libcurl show the bytes of the answer's body as they come.
    func observeBody(_ handle: UnsafeMutableRawPointer) {
        _ = ccurl_set_observer(handle, observeBytes)
        _ = ccurl_set_pointer(handle, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    private func setFields(_ handle: UnsafeMutableRawPointer) {
        let sent = request.fieldsToSend
        // libcurl expects a semicolon after a name without a value; a name with only a colon removes the field that
        // libcurl would add.
        for (name, value) in sent {
            // libcurl sets the length itself, also that of an empty body. With another one, the server would wait for
            // bytes that do not come. It would send a request whose expectation is refused again, without it.
            if ["content-length", "transfer-encoding", "expect"].contains(name.lowercased()) { continue }
            fields = curl_slist_append(fields, value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        if sent["Content-Type"] == nil {
            let type = request.body?.contentType.map { " \($0)" } ?? ""
            if request.method != .GET { fields = curl_slist_append(fields, "Content-Type:\(type)") }
        }
        // Without `Expect`: a server that refuses the expectation would get the request twice.
        if upload != nil { fields = curl_slist_append(fields, "Expect:") }
        _ = ccurl_set_list(handle, CURLOPT_HTTPHEADER, fields)
    }
}

extension Origin {
    /// True for the names and addresses by which a machine calls itself.
    fileprivate var isLoopback: Bool {
        if host == "localhost" || host == "::1" || host.hasSuffix(".localhost") { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}

// MARK: - Functions that C can call

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private let receiveHeaderLine: ccurl_bytes_callback = { bytes, size, count, context in
    let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.receive(headerLine: buffer) == true ? buffer.count : -1
}

private let receiveBody: ccurl_bytes_callback = { bytes, size, count, context in
    let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.receive(buffer) ?? -1
}

private let observeBytes: curl_debug_callback = { _, kind, bytes, count, context in
    if kind == CURLINFO_DATA_IN {
        transfer(context)?.observe(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    return 0
}

private let sendBody: ccurl_bytes_callback = { bytes, size, count, context in
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.send(into: buffer) ?? Int(CURL_READFUNC_ABORT)
}

private let rewindBody: curl_seek_callback = { context, offset, origin in
    let isRewound = offset == 0 && origin == SEEK_SET && transfer(context)?.rewind() == true
    return isRewound ? Int32(CURL_SEEKFUNC_OK) : Int32(CURL_SEEKFUNC_CANTSEEK)
}

private let beforeRequest: curl_prereq_callback = { context, _, _, _, port in
    transfer(context)?.mayBeSent(localPort: Int(port)) == true
        ? Int32(CURL_PREREQFUNC_OK) : Int32(CURL_PREREQFUNC_ABORT)
}
#endif
