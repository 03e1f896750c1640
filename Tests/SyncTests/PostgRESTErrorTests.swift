import FeedbackTesting
import Foundation
import Networking
import Persistence
import Testing

@testable import Sync

struct PostgRESTErrorTests {
    private func error(
        _ status: Int, code: String? = nil, details: String? = nil, message: String = "No."
    ) -> StoreError {
        var body = ["message": message]
        body["code"] = code
        body["details"] = details
        let data = (try? JSONEncoder().encode(body)) ?? Data()
        return StoreError(.status(StatusFailure(code: status, body: data)), key: SchemaKey(Film.schema))
    }

    @Test("A violated key is a duplicate, with the id as other stores print it")
    func duplicate() {
        let id = UUID.fixture(0xAB)
        let details = "Key (id)=(\(id.uuidString.lowercased())) already exists."
        #expect(error(409, code: "23505", details: details) == .duplicate(id: id.uuidString))
    }

    @Test(
        "Another violated constraint is not a duplicate",
        arguments: [("23505", "Key (title)=(Alien) already exists."), ("23503", nil), ("23514", nil), ("23505", nil)]
            as [(String, String?)])
    func constraint(code: String, details: String?) {
        guard case let .constraint(reason) = error(409, code: code, details: details) else {
            Issue.record("Expected a constraint.")
            return
        }
        #expect(reason.contains(code))
    }

    @Test(
        "A conflict without an explanation is a constraint, a busy server unreachable, and any other status a refusal")
    func statuses() {
        let key = SchemaKey(Film.schema)
        func error(_ status: Int) -> StoreError { StoreError(.status(StatusFailure(code: status)), key: key) }
        if case .constraint = error(409) {} else { Issue.record("409 is \(error(409))") }
        for status in [408, 429, 500, 503] {
            if case .unreachable = error(status) {} else { Issue.record("\(status) is \(error(status))") }
        }
        if case .refused = error(400) {} else { Issue.record("400 is \(error(400))") }
    }

    @Test("If there is no network to get credentials, the server is unreachable, and a write is certainly not done")
    func providerWithoutNetwork() async throws {
        struct Unreachable: CredentialProvider {
            func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
                throw CoreError.network(NetworkFailure(.timedOut))
            }

            func refreshedCredentials(
                for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
            ) async throws -> Credentials { rejected }
        }
        let session = CannedBackend().session(credentials: Unreachable())
        let store = PostgRESTStore(Film.schema, accessible: session)
        do throws(StoreError) {
            Issue.record("\(try await store.all().result())")
        } catch {
            if case .unreachable = error {} else { Issue.record("\(error)") }
        }
        let write = OutboxWrite.insert(Film.fixture(), Film.schema, versionColumn: nil, replaces: false)
        let answer = await store.send(write, key: UUID())
        if case .unreachable(_, mayBeDone: false) = answer {} else { Issue.record("\(answer)") }
    }

    @Test("A cancelled request says that it was cancelled, and nothing of a transaction")
    func cancelled() {
        let error = StoreError(.cancelled, key: SchemaKey(Film.schema))
        #expect(error == .cancelled)
        #expect("\(error)" == "The request was cancelled before the store had answered.")
    }
}
