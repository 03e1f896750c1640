import Feedback
import Foundation
import Networking
import Testing

@Suite("Limits of credentials")
struct CredentialLimitTests {
    private let resource = BackendResource<Void, String, KongAuth>.get("/v1/secret")

    @Test("A refresh that gives the same credentials again is not asked for more, and they are not sent again")
    func sameToken() async throws {
        struct Stubborn: CredentialProvider {
            let refreshes = Box(0)
            func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
                .bearer("same")
            }
            func refreshedCredentials(
                for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
            ) async throws -> Credentials {
                refreshes.update { $0 += 1 }
                try await Task.sleep(for: .milliseconds(5))
                return .bearer("same")
            }
        }
        let (provider, asked) = (Stubborn(), Box<[String]>([]))
        let gate = Box(0)
        let transport = StubTransport { request throws(CoreError) in
            asked.update { $0.append(request.fieldsToSend["Authorization"] ?? "") }
            // All are refused before the first one can refresh.
            gate.update { $0 += 1 }
            while gate.value < 200 { try? await Task.sleep(for: .milliseconds(1)) }
            return try TransportResponse(status: 401, url: request.url)
        }
        let session = BackendSession(environment: .production, credentials: provider, transport: transport)
        await withTaskGroup(of: CoreError?.self) { group in
            for _ in 0..<200 {
                group.addTask { await failure { () async throws(CoreError) in try await session.access(resource) } }
            }
            for await error in group {
                guard case .authentication(.rejected) = error else { return recordUnexpected(error) }
            }
        }
        #expect(provider.refreshes.value == 1)
        #expect(asked.value.count == 200)
    }

    @Test("A refresh that hangs ends with the timeout, and the next request may try again", .timeLimit(.minutes(10)))
    func hangingRefresh() async throws {
        struct Hanging: CredentialProvider {
            let refreshes = Box(0)
            func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
                .bearer("old")
            }
            func refreshedCredentials(
                for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
            ) async throws -> Credentials {
                refreshes.update { $0 += 1 }
                // It ignores its cancellation.
                return await withCheckedContinuation { kept.value.append($0) }
            }
            let kept = Box<[CheckedContinuation<Credentials, Never>]>([])
        }
        let provider = Hanging()
        let transport = StubTransport { request throws(CoreError) in
            try TransportResponse(status: 401, url: request.url)
        }
        let session = BackendSession(environment: .production, credentials: provider, transport: transport) {
            $0.timeout = .seconds(1)
        }
        for count in 1...2 {
            let error = await failure { () async throws(CoreError) in try await session.access(resource) }
            guard case .authentication(.refreshFailed(_, let reason)) = error else { return recordUnexpected(error) }
            #expect(reason.hasPrefix("It did not end within"))
            #expect(provider.refreshes.value == count)
        }
        provider.kept.value.forEach { $0.resume(returning: .bearer("late")) }
    }

    @Test("The limit for the whole ends a request that waits for its credentials", .timeLimit(.minutes(10)))
    func wholeLimit() async throws {
        struct Slow: CredentialProvider {
            func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
                try await Task.sleep(for: .seconds(600))
                return .bearer("late")
            }
            func refreshedCredentials(
                for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
            ) async throws -> Credentials { rejected }
        }
        let transport = StubTransport { request throws(CoreError) in
            try TransportResponse(status: 200, url: request.url)
        }
        let session = BackendSession(environment: .production, credentials: Slow(), transport: transport) {
            $0.totalTimeout = .milliseconds(50)
        }
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
    }
}
