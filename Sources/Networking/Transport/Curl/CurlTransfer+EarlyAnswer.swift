#if canImport(CCurl)
import CCurl
import Foundation

/// An answer over HTTP/1 that comes, or a connection that is closed, while the request's own body has nothing to send:
/// libcurl would wait for the body.
///
/// After a refusal libcurl sends no more of the body. After another answer it goes on, since the server may still want
/// the rest, unless the answer is the last one on its connection. So such a transfer ends when the body does, or when
/// the server closes the connection, or its own direction of it, which looks the same.
///
/// Over HTTP/2 a server can reset the stream after an early answer, without an error, to say that it needs no more of the
/// body (RFC 9113, 8.1). A refusal is delivered then. After another answer, libcurl 7.88 may lose bytes that came with the
/// reset, or not notice it, so the transfer fails: as a lost connection, or with its timeout.
extension CurlTransfer {
    /// libcurl no longer waits for the socket: the answer is whole, the server has closed the connection, or the
    /// transfer is about to end. Returns true if the transfer is to be told when the server closes the connection.
    func waitsForClosing(of socket: Int32) -> Bool {
        guard upload?.isWaiting == true, !isPaused, !isAbandoned, !isRefused else { return false }
        guard head.isComplete else {
            abandon()
            return false
        }
        // libcurl has read either all of the answer or the end of the connection.
        isAnsweredEarly = isAnsweredEarly || !SocketPoll.isAtEnd(socket) || isWhole
        // So that libcurl ends the transfer if the answer is the last one on its connection.
        if leftSocket == nil { resume?() }
        leftSocket = socket
        return true
    }

    /// The server has closed the connection of a socket from which libcurl reads no more.
    func serverHasClosed(_ socket: Int32) {
        guard leftSocket == socket, upload?.isWaiting == true, !isAbandoned else { return }
        abandon()
    }

    /// Ends the transfer when libcurl asks for more of the body.
    private func abandon() {
        isAbandoned = true
        resume?()
    }

    /// True if the body of the answer ends where its head, or its last chunk, says.
    private var isWhole: Bool {
        guard let handle, head.status != 204 else { return head.status == 204 }
        if head.isChunked { return chunks.isComplete }
        var count: curl_off_t = 0
        _ = ccurl_get_offset(handle, CURLINFO_SIZE_DOWNLOAD_T, &count)
        return head.length == Int64(count)
    }
}
#endif
