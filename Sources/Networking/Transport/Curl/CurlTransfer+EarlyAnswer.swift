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
/// Over HTTP/2, too, an answer does not say that the server needs no more of the body; a reset of the stream without an
/// error does (RFC 9113, 8.1). An answer before such a reset is a lost connection if it does not say its length, since it
/// may have been cut. Without a reset, older versions of libcurl may not see the end of an early answer, even after the end
/// of the body, and then such a transfer ends with its timeout.
extension CurlTransfer {
    /// libcurl no longer waits for the socket: the answer is whole, the server has closed the connection, or the
    /// transfer is about to end. Returns true if the transfer is to be told when the server closes the connection.
    func waitsForClosing(of socket: Int32) -> Bool {
        guard upload?.isWaiting == true, !isAbandoned, !isRefused else { return false }
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

    /// True if the server has reset the stream of HTTP/2 without an error after its answer.
    ///
    /// Older versions of libcurl then fail when they send more of the body, and give no reason. If the stream was reset
    /// with an error, they name it. They lose bytes that came together with the reset, so the answer has to say how long
    /// it is.
    var isClosedEarly: Bool {
        upload != nil && head.isComplete && message.first == 0
            && ([204, 304].contains(head.status) || head.length == bytesReceived)
    }

    /// True if the body of the answer ends where its head, or its last chunk, says.
    private var isWhole: Bool {
        if head.status == 204 { return true }
        if head.fields["Transfer-Encoding"] != nil { return chunks.isComplete }
        return head.length == bytesReceived
    }

    /// The bytes of the answer's body so far, as they came.
    private var bytesReceived: Int64? {
        guard let handle else { return nil }
        var count: curl_off_t = 0
        _ = ccurl_get_offset(handle, CURLINFO_SIZE_DOWNLOAD_T, &count)
        return Int64(count)
    }
}
#endif
