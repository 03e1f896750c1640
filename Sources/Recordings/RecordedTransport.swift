import Canned
import Foundation
import Networking

/// A transport that gives the answers of another one to a recorder.
struct RecordedTransport: Transport {
    let transport: any Transport
    let redaction: Redaction
    weak let recorder: Recorder?

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        guard let recorder else { return try await transport.send(request) }
        let id = recorder.begin(Recording.Request(request, redaction))
        do {
            var response = try await transport.send(request)
            // The feature gets the fields that it gets in a replay: a failure that it shows has all of them.
            response.headers = response.headers.ofAnswer
            // Before a body that is too large is read and searched.
            let hasRoom = recorder.takeRoom(for: Self.size(of: response, to: request))
            recorder.end(id, with: hasRoom ? CannedAnswer(response, to: request, redaction: redaction) : nil)
            return response
        } catch .cancelled {
            recorder.end(id, with: nil)
            throw .cancelled
        } catch {
            recorder.end(id, with: CannedAnswer(error, of: request, redaction: redaction))
            throw error
        }
    }

    /// Returns the number of bytes of the body, which a download has in its file if it was successful.
    private static func size(of response: TransportResponse, to request: TransportRequest) -> Int {
        guard case .file(let file, _) = request.destination, response.isSuccess else { return response.body.count }
        return (try? file.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? response.body.count
    }
}
