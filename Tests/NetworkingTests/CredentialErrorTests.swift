import Feedback
import FeedbackTesting
import Foundation
import Networking
import Testing

/// The errors of requests whose credentials cannot be had, and the part that a refresh plays for other requests.
@Suite("Errors of credential providers", .timeLimit(.minutes(10)))
struct CredentialErrorTests {
    private typealias Kong = BackendResource<Void, String, KongAuth>
    private let resource = Kong.get("/v1/secret")

    /// Its functions are those of the test.
    private struct Provider: CredentialProvider {
        var current: @Sendable () async throws -> Credentials = { .bearer("1") }
        var refresh: @Sendable () async throws -> Credentials = { .bearer("2") }

        func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
            try await current()
        }

        func refreshedCredentials(
            for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
        ) async throws -> Credentials { try await refresh() }
    }

    /// A server that accepts some tokens, and answers with the one that it was sent.
    private func session(_ provider: any CredentialProvider, accepting tokens: Box<Set<String>>) -> BackendSession {
        let transport = StubTransport { request throws(CoreError) in
            let token = String((request.fieldsToSend["Authorization"] ?? "").dropFirst("Bearer ".count))
            let isGood = tokens.value.contains(token)
            let body = isGood ? "\"\(token)\"" : "No such key: \(token)"
            return try TransportResponse(status: isGood ? 200 : 401, body: Data(body.utf8), url: request.url)
        }
        return BackendSession(environment: .production, credentials: provider, transport: transport)
    }

    // MARK: - Within a refresh

    @Test("A refresh that asks another session has the credentials of that session refreshed too, if they are refused")
    func refreshOfAnotherSession() async throws {
        let valid = Box<Set<String>>(["2"])
        let app = session(Provider(), accepting: valid)
        let users = session(
            Provider(refresh: { [resource] in .bearer(try await app.access(resource)) }), accepting: valid)
        #expect(try await users.access(resource) == "2")
    }

    @Test("Work that a refresh has started, and work that goes on after it, may have credentials refreshed later")
    func workAfterRefresh() async throws {
        let (valid, refreshes, mayContinue) = (Box<Set<String>>(["1"]), Box(0), Box(false))
        let (later, user) = (Box<Task<String, any Error>?>(nil), Box<BackendSession?>(nil))
        let provider = Provider(
            current: { .bearer("\(refreshes.value)") },
            refresh: { [resource] in
                refreshes.update { $0 += 1 }
                let count = refreshes.value
                if count == 1 {
                    // As an observer of the token does, who loads something.
                    later.value = Task {
                        await eventually { mayContinue.value }
                        return try await user.value?.access(resource) ?? ""
                    }
                }
                return .bearer("\(count)")
            })
        let session = session(provider, accepting: valid)
        user.value = session
        #expect(try await session.access(resource) == "1")
        valid.value = ["2"]
        mayContinue.value = true
        #expect(try await later.value?.value == "2")
        user.value = nil
    }

    // MARK: - Errors

    @Test("A cancelled request says so, whatever its provider throws then")
    func cancelled() async throws {
        let isAsked = Box(false)
        let provider = Provider(current: {
            isAsked.value = true
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                throw URLError(.cancelled)
            }
            return .bearer("1")
        })
        let session = session(provider, accepting: Box([]))
        let task = Task { await failure { () async throws(CoreError) in try await session.access(resource) } }
        await eventually { isAsked.value }
        task.cancel()
        #expect(await task.value == .cancelled)
        // Of two sessions, the inner one has told the outer one.
        let nested = self.session(Provider(current: { throw CoreError.cancelled }), accepting: Box([]))
        #expect(await failure { () async throws(CoreError) in try await nested.access(resource) } == .cancelled)
    }

    @Test("If there is no network to get or to refresh credentials, the error says so, through any number of sessions")
    func withoutNetwork() async throws {
        let lost = NetworkFailure(.connectionLost, url: "https://login.example.com")
        let fetching = session(Provider(current: { throw CoreError.network(lost) }), accepting: Box([]))
        let refreshing = session(Provider(refresh: { throw CoreError.network(lost) }), accepting: Box([]))
        let nested = session(
            Provider(current: { [resource] in .bearer(try await fetching.access(resource)) }), accepting: Box([]))
        for session in [fetching, refreshing, nested] {
            let error = await failure { () async throws(CoreError) in try await session.access(resource) }
            #expect(error == .authentication(.unreachable(kind: "Kong", lost)))
        }
    }

    @Test("An error of URLSession that a provider throws is one of the network, unless it is none")
    func errorsOfURLSession() async throws {
        let lost = URLError(.networkConnectionLost)
        for provider in [Provider(current: { throw lost }), Provider(refresh: { throw lost })] {
            let session = session(provider, accepting: Box([]))
            let error = await failure { () async throws(CoreError) in try await session.access(resource) }
            #expect(error == .authentication(.unreachable(kind: "Kong", NetworkFailure(.connectionLost))))
        }
        let unfit = session(Provider(current: { throw URLError(.badURL) }), accepting: Box([]))
        let error = await failure { () async throws(CoreError) in try await unfit.access(resource) }
        guard case .authentication(.missingCredentials(kind: "Kong", _)) = error else { return recordUnexpected(error) }
    }

    @Test("If the server refuses credentials that are fixed, the error is its answer")
    func fixed() async throws {
        let session = session(FixedCredentials(.bearer("wrong")), accepting: Box([]))
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        guard case .authentication(.rejected(kind: "Kong", let failure)) = error else { return recordUnexpected(error) }
        #expect(failure.code == 401)
        let text = error.map { "\($0)" } ?? ""
        #expect(text.hasPrefix("The server refused the credentials for Kong."))
        #expect(text.hasSuffix("It says: No such key: wrong"))
    }
}
