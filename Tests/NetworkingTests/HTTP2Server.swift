#if os(Linux)
import ChildProcesses
import Foundation

/// A server that speaks HTTP/2 over TLS: Node's, with a certificate that openssl makes.
final class HTTP2Server: Sendable {
    /// A request as it came.
    struct Request: Decodable {
        /// The number of its connection, from 1.
        let connection: Int
        let method: String
        let path: String
        /// The code with which the client gave up the request; 0 if it did not.
        let code: Int
    }

    /// True if Node and openssl are installed, or must be: with `FEEDBACK_HTTP2=required` tests fail without them.
    static let isInstalled =
        ProcessInfo.processInfo.environment["FEEDBACK_HTTP2"] == "required"
        || ["node", "openssl"].allSatisfy { name in
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
            }
        }

    let url: URL
    /// The server's certificate, which nobody else has signed.
    let certificate: URL
    private let folder: URL
    private let process: ChildProcess

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "http2-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appending(path: "certificate.pem")
        // The server ends when its input does: with this process, however that ends.
        process = try ChildProcess(
            "/bin/sh", ["-c", Self.shellScript, "sh", Self.serverScript], folder: folder.path(percentEncoded: false),
            input: .pipe, errors: .null)
        guard let port = process.output.line().flatMap({ UInt16($0) }),
            let url = URL(string: "https://127.0.0.1:\(port)/")
        else { throw POSIXError(.ECONNREFUSED) }
        self.url = url
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static let shellScript = """
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
            -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem && exec node -e "$1"
        """

    /// The first part of a path says what the server does, and the second one is a code of HTTP/2 (RFC 9113, 7) or the
    /// number of the last stream that the server has handled.
    private static let serverScript = """
        const http2 = require('http2'), fs = require('fs'), zlib = require('zlib')
        const server = http2.createSecureServer({
            maxSessionMemory: 1000,
            key: fs.readFileSync('key.pem'), cert: fs.readFileSync('certificate.pem')
        })
        const log = [], sockets = []
        let held = []
        server.on('connection', socket => sockets.push(socket))
        server.on('session', session => {
            session.number = sockets.length
            session.on('error', () => {})
        })
        server.on('stream', (stream, headers) => {
            const path = headers[':path'], [, action, number] = path.split('/'), session = stream.session
            const request = { connection: session.number, method: headers[':method'], path, code: 0 }
            stream.on('error', () => {})
            stream.on('aborted', () => { request.code = stream.rstCode })
            if (action != 'log') log.push(request)
            const answer = body => {
                if (stream.destroyed) return
                stream.respond({ ':status': 200 })
                stream.end(body)
            }
            switch (action) {
            case 'log': return answer(JSON.stringify(log))
            case 'hold': return held.push(() => answer('released'))
            case 'release': held.forEach(release => release()); held = []; return answer('')
            case 'refuse':
                stream.respond({ ':status': 413 })
                // The end, with which Node resets the stream, comes when the client has read the body.
                return stream.write('too much', () => session.ping(() => stream.end()))
            // Packed with gzip, without the last bytes.
            case 'packed': {
                const packed = zlib.gzipSync(Buffer.alloc(300000, 'x'))
                stream.respond({ ':status': 200, 'content-encoding': 'gzip' })
                return stream.end(packed.subarray(0, packed.length - Number(number)))
            }
            case 'head': return stream.respond({ ':status': 200 })
            case 'reset': return stream.close(Number(number))
            case 'goaway': session.goaway(0, Number(number)); return session.destroy()
            case 'drop': return sockets[session.number - 1].destroy()
            case 'big':
                // Of an answer that has ended on this side, Node does not tell that it was aborted.
                stream.on('close', () => { request.code = stream.rstCode })
                return answer(Buffer.alloc(Number(number), 'x'))
            case 'pieces': {
                stream.respond({ ':status': 200 })
                let sent = 0
                return stream.on('data', () => {}).write('0\\n', () => {
                    const next = () => { if (++sent < Number(number)) stream.write(sent + '\\n', next); else stream.end() }
                    next()
                })
            }
            // Numbered events after the last one that the client has; every second connection is reset, and the last answer
            // is a 204.
            case 'events': {
                const last = Number(headers['last-event-id'] || 0)
                if (last >= Number(number)) { stream.respond({ ':status': 204 }); return stream.end() }
                stream.respond({ ':status': 200, 'content-type': 'text/event-stream' })
                // With another word than a number, it lasts.
                return stream.write(`retry: 0\\nid: ${last + 1}\\ndata: ${last + 1}\\n\\ndata: lost`, () => session.ping(() => {
                    if (isNaN(number)) return
                    if (last % 2 == 0) stream.end(); else stream.close(2)
                }))
            }
            case 'count': {
                let count = 0
                stream.on('data', data => { count += data.length })
                return stream.on('end', () => answer(String(count)))
            }
            default: answer(path)
            }
        })
        process.stdin.on('end', () => process.exit()).resume()
        server.listen(0, '127.0.0.1', () => console.log(server.address().port))
        """
}
#endif
