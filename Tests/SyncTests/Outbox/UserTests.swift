import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Sync
import Testing

/// Two users of one device, one after the other, each with a database of their own.
struct UserTests {
    /// Knows the user who is signed in.
    private final class Keychain: CredentialProvider {
        private let user = Locked("anna")

        func signIn(_ name: String) { user.withLock { $0 = name } }

        func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
            user.withLock { .bearer($0, user: $0) }
        }

        func refreshedCredentials(
            for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
        ) async throws -> Credentials {
            rejected
        }
    }

    private let keychain = Keychain()

    private func films(of user: String, on server: TableServer<Film>) throws -> SyncedStore<Film> {
        let session = BackendSession(
            environment: server.session.environment, credentials: keychain.only(for: user))
        return try SyncedStore(
            Film.schema, remote: PostgRESTStore(Film.schema, accessible: session),
            outbox: Outbox(in: SQLiteDatabase(.memory)))
    }

    /// The users whose credentials the server has seen.
    private func senders(_ server: TableServer<Film>) -> Set<String?> {
        Set(server.backend.requests.map { $0.headers["Authorization"] })
    }

    @Test("The waiting writes of a user who has signed out are never sent as the next user, and go on when she is back")
    func nextUser() async throws {
        let (hers, his) = (Film.fixture(), Film.fixture(id: .fixture(2), title: "Alien"))
        try await withFilms { server in
            server.backend.misbehave(.drop)
            let annas = try films(of: "anna", on: server)
            try await annas.insert(hers)
            await eventually("there is no network") { annas.outbox.status.value.offlineSince != nil }

            keychain.signIn("ben")
            server.backend.behave()
            server.backend.forgetRequests()
            let bens = try films(of: "ben", on: server)
            try await bens.insert(his)
            await eventually("his film is sent") { bens.outbox.status.value.isInStep }
            annas.outbox.networkIsBack()
            await eventually("her film was tried") {
                annas.outbox.status.value.isInStep
                    || annas.outbox.status.value.problem?.contains("They are of another user now.") == true
            }
            #expect(annas.outbox.status.value.waiting == 1)
            #expect(try await server.table.all().result() == [his])
            #expect(senders(server) == ["Bearer ben"])

            keychain.signIn("anna")
            annas.outbox.networkIsBack()
            await eventually("her film is sent") { annas.outbox.status.value.isInStep }
            #expect(Set(try await server.table.all().result().map(\.title)) == [hers.title, his.title])
            #expect(senders(server) == ["Bearer ben", "Bearer anna"])
        }
    }

    @Test("Credentials of another user, or of none, are not given out, and those of another user are not refreshed")
    func others() async throws {
        let (anna, ben) = (Credentials.bearer("anna", user: "anna"), Credentials.bearer("ben", user: "ben"))
        let annas = keychain.only(for: "anna")
        #expect(try await annas.credentials(for: KongAuth.self) == anna)
        #expect(try await annas.refreshedCredentials(for: KongAuth.self, replacing: anna) == anna)
        await #expect(throws: (any Error).self) {
            try await annas.refreshedCredentials(for: KongAuth.self, replacing: ben)
        }
        keychain.signIn("ben")
        await #expect(throws: (any Error).self) { try await annas.credentials(for: KongAuth.self) }
        let nobodys = FixedCredentials(.bearer("anna")).only(for: "anna")
        await #expect(throws: (any Error).self) { try await nobodys.credentials(for: KongAuth.self) }
    }
}
