import FeedbackTesting
import Feedback
import Foundation
import Networking
import Testing

/// Requests that are under way while one user signs out and another one signs in.
@Suite("Signing out", .timeLimit(.minutes(10)))
struct SignOutTests {
    private let resource = BackendResource<Void, String, KongAuth>.get("/v1/secret")

    /// Knows the token of the user who is signed in. Refreshing `anna-1` gives `anna-2`, once `refresh` lets it.
    private final class Accounts: CredentialProvider {
        struct SignedOut: Error {}

        private let current: Box<String?>
        private let begun = Box<[String]>([])
        private let released = Box<Set<String>>([])
        private let namesUsers: Bool

        init(_ token: String, namesUsers: Bool = false) {
            current = Box(token)
            self.namesUsers = namesUsers
        }

        /// The tokens for which refreshes have begun.
        var refreshes: [String] { begun.value }

        func signIn(_ token: String?) { current.value = token }
        func endRefresh(of token: String) { _ = released.update { $0.insert(Self.field(token)) } }

        func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
            guard let token = current.value else { throw SignedOut() }
            return credentials(token)
        }

        func refreshedCredentials(
            for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
        ) async throws -> Credentials {
            let field = rejected.headers["Authorization"] ?? ""
            begun.update { $0.append(field) }
            await eventually("the refresh of \(field) may end") { released.value.contains(field) }
            let old = String(field.dropFirst("Bearer ".count))
            let new = String(old.dropLast()) + "2"
            current.update { if $0 == old { $0 = new } }
            return credentials(new)
        }

        static func field(_ token: String) -> String { "Bearer \(token)" }

        private func credentials(_ token: String) -> Credentials {
            .bearer(token, user: namesUsers ? String(token.prefix { $0 != "-" }) : nil)
        }
    }

    /// A server that refuses the first token of each user, and holds its answers until it is told to give them.
    private final class Server: Sendable {
        private let seen = Box<[String]>([])
        private let held = Box<Set<String>>([])

        /// The fields of the requests so far.
        var requests: [String] { seen.value }

        /// - Parameter token: The token whose requests are held, beginning with the next one.
        func hold(_ token: String) { _ = held.update { $0.insert(Accounts.field(token)) } }
        func release(_ token: String) { _ = held.update { $0.remove(Accounts.field(token)) } }

        func session(_ provider: any CredentialProvider) -> BackendSession {
            let transport = StubTransport { [seen, held] request throws(CoreError) in
                let field = request.fieldsToSend["Authorization"] ?? ""
                seen.update { $0.append(field) }
                await eventually("requests with \(field) may be answered") { !held.value.contains(field) }
                let isGood = !field.hasSuffix("-1")
                return try TransportResponse(
                    status: isGood ? 200 : 401, body: Data((isGood ? "\"\(field)\"" : "{}").utf8), url: request.url)
            }
            return BackendSession(environment: .production, credentials: provider, transport: transport)
        }
    }

    @Test("A refused request of the next user does not wait for the refresh of the last one, nor gets its credentials")
    func refreshUnderWay() async throws {
        let (accounts, server) = (Accounts("anna-1"), Server())
        let session = server.session(accounts)
        async let annas = session.access(resource)
        await eventually { accounts.refreshes == ["Bearer anna-1"] }
        accounts.signIn("bert-1")
        accounts.endRefresh(of: "bert-1")
        #expect(try await session.access(resource) == "Bearer bert-2")
        accounts.endRefresh(of: "anna-1")
        #expect(try await annas == "Bearer anna-2")
        #expect(accounts.refreshes == ["Bearer anna-1", "Bearer bert-1"])
    }

    @Test("A request that is refused after the refresh for the last user has ended does not get its credentials")
    func refreshEnded() async throws {
        let (accounts, server) = (Accounts("anna-1"), Server())
        let session = server.session(accounts)
        async let annas = session.access(resource)
        await eventually { accounts.refreshes == ["Bearer anna-1"] }
        accounts.signIn("bert-1")
        server.hold("bert-1")
        async let berts = session.access(resource)
        await eventually { server.requests.last == "Bearer bert-1" }
        accounts.endRefresh(of: "anna-1")
        #expect(try await annas == "Bearer anna-2")
        accounts.endRefresh(of: "bert-1")
        server.release("bert-1")
        #expect(try await berts == "Bearer bert-2")
    }

    @Test("Many refused requests of two users get their own user's credentials, after one refresh for each user")
    func manyRequests() async throws {
        let (accounts, server) = (Accounts("anna-1"), Server())
        let session = server.session(accounts)
        server.hold("anna-1")
        server.hold("bert-1")
        try await withThrowingTaskGroup(of: (user: String, answer: String).self) { group in
            for _ in 0..<100 { group.addTask { ("anna", try await session.access(resource)) } }
            await eventually { server.requests.count == 100 }
            accounts.signIn("bert-1")
            for _ in 0..<100 { group.addTask { ("bert", try await session.access(resource)) } }
            await eventually { server.requests.count == 200 }
            accounts.signIn("anna-1")
            server.release("anna-1")
            await eventually { accounts.refreshes == ["Bearer anna-1"] }
            accounts.signIn("bert-1")
            server.release("bert-1")
            await eventually { accounts.refreshes.count == 2 }
            for token in ["bert-1", "anna-1"] { accounts.endRefresh(of: token) }
            for try await (user, answer) in group { #expect(answer == "Bearer \(user)-2") }
        }
        #expect(accounts.refreshes == ["Bearer anna-1", "Bearer bert-1"])
    }

    @Test("Credentials that were replaced elsewhere are sent without a refresh")
    func replacedElsewhere() async throws {
        let (accounts, server) = (Accounts("anna-1", namesUsers: true), Server())
        server.hold("anna-1")
        async let answer = server.session(accounts).access(resource)
        await eventually { server.requests == ["Bearer anna-1"] }
        accounts.signIn("anna-7")
        server.release("anna-1")
        #expect(try await answer == "Bearer anna-7")
        #expect(accounts.refreshes.isEmpty)
    }

    @Test("Without named users, the provider is asked what replaces the refused credentials")
    func unnamed() async throws {
        let (accounts, server) = (Accounts("anna-1"), Server())
        let session = server.session(accounts)
        server.hold("anna-1")
        async let annas = session.access(resource)
        await eventually { server.requests == ["Bearer anna-1"] }
        accounts.signIn("bert-2")
        accounts.endRefresh(of: "anna-1")
        server.release("anna-1")
        #expect(try await annas == "Bearer anna-2")
        #expect(accounts.refreshes == ["Bearer anna-1"])
    }

    @Test("A provider that names the user at first, but not after the refresh, is told so")
    func forgottenUser() async throws {
        struct Forgetful: CredentialProvider {
            func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
                .bearer("anna-1", user: "anna")
            }
            func refreshedCredentials(
                for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
            ) async throws -> Credentials { .bearer("anna-2") }
        }
        let session = Server().session(Forgetful())
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        #expect(
            error == .authentication(.refreshFailed(kind: "Kong", reason: "The new credentials name no user.")))
    }

    @Test("A provider that is cancelled itself during a refresh makes the refresh fail")
    func cancelledProvider() async throws {
        struct Fickle: CredentialProvider {
            let isAsked = Box(false)
            func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
                if isAsked.value { throw CancellationError() }
                isAsked.value = true
                return .bearer("anna-1", user: "anna")
            }
            func refreshedCredentials(
                for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
            ) async throws -> Credentials { rejected }
        }
        let session = Server().session(Fickle())
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        #expect(
            error == .authentication(.refreshFailed(kind: "Kong", reason: "CancellationError()")))
    }

    @Test("A refused request is not sent again with the credentials of another user, if users are named")
    func anotherUser() async throws {
        let (accounts, server) = (Accounts("anna-1", namesUsers: true), Server())
        let session = server.session(accounts)
        server.hold("anna-1")
        let annas = Task { await failure { () async throws(CoreError) in try await session.access(resource) } }
        await eventually { server.requests == ["Bearer anna-1"] }
        accounts.signIn("bert-2")
        server.release("anna-1")
        #expect(
            await annas.value
                == .authentication(.refreshFailed(kind: "Kong", reason: "They are of another user now.")))
        #expect(server.requests == ["Bearer anna-1"])
        accounts.signIn("bert-1")
        accounts.endRefresh(of: "bert-1")
        #expect(try await session.access(resource) == "Bearer bert-2")
    }

    @Test("A refused request of a user who has signed out fails without a refresh")
    func signedOut() async throws {
        let (accounts, server) = (Accounts("anna-1", namesUsers: true), Server())
        server.hold("anna-1")
        let session = server.session(accounts)
        let annas = Task { await failure { () async throws(CoreError) in try await session.access(resource) } }
        await eventually { server.requests == ["Bearer anna-1"] }
        accounts.signIn(nil)
        server.release("anna-1")
        #expect(await annas.value == .authentication(.refreshFailed(kind: "Kong", reason: "SignedOut()")))
        #expect(accounts.refreshes.isEmpty)
    }
}
