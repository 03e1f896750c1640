import FeedbackTesting
import Fixtures
import Networking
import Presentation
import Testing

@testable import Timeline

struct StatusViewModelTests {
    private let stub = TimelineBusinessControllerStub()

    @Test("Loads the thread, and follows what becomes of it")
    func loading() {
        let routes = RouteLog<StatusViewModel.Route>()
        let tester = LoopTester(StatusViewModel(id: "10", businessController: stub), routes: routes)
        tester.receive(.didChange(nil))
        #expect(stub.threads.inputs == ["10"])
        stub.threads.fail(.fixture())
        tester.receive(.requests(.didRefresh(.failure(.fixture())))) {
            $0.requests.refreshing = .failed(.fixture(), number: 1)
        }
        tester.send(.ui(.refresh)) { $0.requests.refreshing = .underWay(number: 2) }
        let thread = StatusThread(status: .fixture(), descendants: [.fixture(id: "11")])
        stub.thread.value = thread
        tester.receive(.didChange(thread)) { $0.thread = thread }
        stub.threads.answer(1)
        tester.receive(.requests(.didRefresh(.success(1)))) {
            $0.requests.refreshing = .done
            $0.requests.leftOut = 1
        }
        tester.send(.ui(.open("11")))
        tester.send(.ui(.openAccount("1")))
        tester.send(.ui(.leave))
        #expect(routes.routes == [.status("11"), .account("1"), .leave])
    }
}

struct ProfileViewModelTests {
    private let stub = TimelineBusinessControllerStub()

    private func tester(
        isOwn: Bool, _ stub: TimelineBusinessControllerStub? = nil
    ) -> LoopTester<ProfileViewModel.State, ProfileViewModel.Event> {
        let stub = stub ?? self.stub
        let profile = Profile(account: .fixture(), timeline: .fixture(next: "10"))
        stub.profile.value = profile
        let tester = LoopTester(ProfileViewModel(id: "1", isOwn: isOwn, businessController: stub))
        tester.receive(.didChange(profile)) { $0.profile = profile }
        stub.profiles.answer(0)
        tester.receive(.requests(.didRefresh(.success(0)))) { $0.requests.refreshing = .done }
        return tester
    }

    @Test("The own account is renamed, and may be tried again with the same name")
    func renaming() {
        let tester = tester(isOwn: true)
        tester.send(.ui(.rename))
        tester.send(.ui(.editName("Ann"))) { $0.newName = "Ann" }
        tester.send(.ui(.rename)) { $0.renaming = .underWay() }
        tester.send(.ui(.editName("late")))
        stub.renames.fail(.fixture())
        tester.receive(.didFailToRename(.fixture())) { $0.renaming = .failed(.fixture(), number: 1) }
        tester.send(.ui(.rename)) { $0.renaming = .underWay(number: 2) }
        stub.renames.complete()
        tester.receive(.didRename) {
            $0.renaming = .done
            $0.newName = nil
        }
        #expect(stub.renames.inputs == ["Ann", "Ann"])
    }

    @Test("The error of a renaming goes when the server shows the new name after all")
    func renamedAfterAll() {
        let tester = tester(isOwn: true)
        tester.send(.ui(.editName("Ann"))) { $0.newName = "Ann" }
        tester.send(.ui(.rename)) { $0.renaming = .underWay() }
        stub.renames.fail(.fixture())
        tester.receive(.didFailToRename(.fixture())) { $0.renaming = .failed(.fixture(), number: 1) }
        let renamed = Profile(account: .fixture(displayName: "Ann"), timeline: .fixture(next: "10"))
        stub.profile.value = renamed
        tester.receive(.didChange(renamed)) {
            $0.profile = renamed
            $0.renaming = .done
            $0.newName = nil
        }
        tester.finish()
    }

    @Test("A renaming that fails after the server has shown the new name is done")
    func renamedBeforeTheError() {
        let tester = tester(isOwn: true)
        tester.send(.ui(.editName("Ann"))) { $0.newName = "Ann" }
        tester.send(.ui(.rename)) { $0.renaming = .underWay() }
        let renamed = Profile(account: .fixture(displayName: "Ann"), timeline: .fixture(next: "10"))
        stub.profile.value = renamed
        tester.receive(.didChange(renamed)) { $0.profile = renamed }
        stub.renames.fail(.fixture())
        tester.receive(.didFailToRename(.fixture())) {
            $0.renaming = .done
            $0.newName = nil
        }
        tester.finish()
    }

    @Test("A renaming that was begun before the profile was opened, and is refused, can be tried again")
    func refusedBefore() {
        let refusal = Refusal(of: .renaming("1", to: "Ann"), .fixture())
        let own = tester(isOwn: true)
        stub.refusal.value = refusal
        own.receive(.requests(.didChangeRefusal(refusal))) {
            $0.newName = "Ann"
            $0.renaming = .failed(.fixture(), number: 1)
        }
        stub.refusal.value = nil
        own.receive(.requests(.didChangeRefusal(nil)))
        own.send(.ui(.editName("Bea"))) {
            $0.newName = "Bea"
            $0.renaming = .idle
        }
        stub.refusal.value = refusal
        own.receive(.requests(.didChangeRefusal(refusal))) { $0.requests.refusal = refusal }
        own.finish()
    }

    @Test("A renaming of before, which fails after the server has shown the new name, is done")
    func doneBefore() {
        let own = tester(isOwn: true)
        let renamed = Profile(account: .fixture(displayName: "Ann"), timeline: .fixture(next: "10"))
        stub.profile.value = renamed
        own.receive(.didChange(renamed)) { $0.profile = renamed }
        let failure = Refusal(of: .renaming("1", to: "Ann"), .fixture())
        stub.refusal.value = failure
        own.receive(.requests(.didChangeRefusal(failure))) { $0.renaming = .done }
        own.finish()
    }

    @Test("A renaming of before that is refused is shown although the same name was typed again")
    func refusedAndTyped() {
        let own = tester(isOwn: true)
        own.send(.ui(.editName("Ann"))) { $0.newName = "Ann" }
        let refusal = Refusal(of: .renaming("1", to: "Ann"), .fixture())
        stub.refusal.value = refusal
        own.receive(.requests(.didChangeRefusal(refusal))) { $0.renaming = .failed(.fixture(), number: 1) }
        own.finish()
    }

    @Test("An empty name, the same name and another account's name are not sent", arguments: [" ", "Ada"])
    func noRenaming(name: String) {
        let own = tester(isOwn: true)
        own.send(.ui(.editName(name))) { $0.newName = name }
        own.send(.ui(.rename))
        let otherStub = TimelineBusinessControllerStub()
        let other = tester(isOwn: false, otherStub)
        other.send(.ui(.editName("Ann")))
        other.send(.ui(.rename))
        #expect(stub.renames.callCount + otherStub.renames.callCount == 0)
    }

    @Test("Reaching the end loads the next page once")
    func older() {
        let tester = tester(isOwn: false)
        tester.send(.ui(.loadOlder)) { $0.requests.loadingOlder = .underWay() }
        tester.send(.ui(.loadOlder))
        stub.olderStatuses.fail(.fixture())
        tester.receive(.requests(.didLoadOlder(.failure(.fixture())))) {
            $0.requests.loadingOlder = .failed(.fixture(), number: 1)
        }
        #expect(stub.olderStatuses.inputs == ["1"])
    }
}
