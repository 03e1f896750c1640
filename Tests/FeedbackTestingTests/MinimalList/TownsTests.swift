import Feedback
import FeedbackTesting
import Presentation
import Testing

enum TownsError: Error, Equatable, CustomStringConvertible {
    case offline

    var description: String { "The server cannot be reached." }
}

protocol TownsBusinessControllerProtocol: Sendable {
    func fetchTowns() -> SignalProducer<[String], TownsError>
}

/// The least that a list screen with loading, failure and retry needs: its view model, renderer and builder are the other
/// files of this folder.
@Suite("A minimal list screen")
struct TownsTests {
    private struct Controller: TownsBusinessControllerProtocol {
        let towns = Stub<Void, [String], TownsError>()

        func fetchTowns() -> SignalProducer<[String], TownsError> { towns() }
    }

    private let controller = Controller()
    private let routes = RouteLog<TownsViewModel.Route>()

    @Test("A failed load is tried again, and counted, until it succeeds")
    func retry() {
        let tester = LoopTester(TownsViewModel(businessController: controller), routes: routes)
        controller.towns.fail(.offline)
        tester.receive(.didFail(.offline)) { $0.loading = .failed(.offline, number: 1) }
        tester.send(.ui(.refresh)) { $0.loading = .underWay(number: 2) }
        controller.towns.answer(["Bath"])
        tester.receive(.didLoad(["Bath"])) {
            $0.towns = ["Bath"]
            $0.loading = .done
        }
        tester.send(.ui(.choose("Bath")))
        #expect(routes.routes == [.open("Bath")])
        tester.finish()
    }

    @Test("A person loads the list, tries again, and opens a town")
    func flow() async throws {
        let screens = ScreenStack()
        screens.push(TownsBuilder(businessController: controller).towns(onRoute: routes.add))
        let person = ScriptedPerson(screens)
        controller.towns.fail(.offline)
        try await person.sees("The server cannot be reached.")
        let loading = Task { [controller] in
            await eventually("the list is loaded again") { controller.towns.waitingCount == 1 }
            controller.towns.answer(["Bath"])
        }
        try await person.uses("Try again")
        await loading.value
        try await person.uses("Bath")
        #expect(routes.routes == [.open("Bath")])
    }

    @Test("The recorded states of two screens of one type have two names, also when the recording knew neither")
    func recordedStates() async {
        let screens = ScreenStack()
        let states = RecordedStates(screens)
        for _ in 1...2 { screens.push(TownsBuilder(businessController: controller).towns(onRoute: routes.add)) }
        await states.expect(
            """
            TownsViewModel begins
              loading: .underWay
              loading.number: 1
              towns: [0]
            TownsViewModel 2 begins
              loading: .underWay
              loading.number: 1
              towns: [0]
            """, within: .zero)
        controller.towns.answer(["Bath"])
        await withKnownIssue {
            await states.expect("", within: .milliseconds(50))
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return text.contains("+   TownsViewModel\n") && text.contains("+   TownsViewModel 2\n")
        }
        await states.expect("", within: .zero)
        await withKnownIssue {
            await states.expect("TownsViewModel\n\n  towns: [0]", within: .zero)
        } matching: { issue in
            issue.comments.map(\.rawValue).joined().contains("-   TownsViewModel\n    \n-     towns: [0]")
        }
    }

    @Test("The recorded states follow each screen by itself, and say nothing about one that is gone")
    func statesOfOneScreen() async throws {
        let screens = ScreenStack()
        let states = RecordedStates(screens)
        for _ in 1...2 { screens.push(TownsBuilder(businessController: controller).towns(onRoute: routes.add)) }
        controller.towns.answer(["Bath"])
        let person = ScriptedPerson(screens)
        try await person.sees("Bath")
        let changes = """
            TownsViewModel begins
              loading: .done
              towns: [1]
              towns[0]: "Bath"
            TownsViewModel 2 begins
              loading: .done
              towns: [1]
              towns[0]: "Bath"
            """
        // The states have been reached by now.
        await states.expect(changes, within: .zero)
        screens.top?.screen.actions.first?.action()
        await states.expect("TownsViewModel 2\n  loading: .underWay\n  loading.number: 1", within: .zero)
        screens.pop()
        await states.expect("TownsViewModel 2\n  towns: [7]", within: .zero)
        // One that begins after that is followed.
        screens.push(TownsBuilder(businessController: controller).towns(onRoute: routes.add))
        await states.expect(
            """
            TownsViewModel 3 begins
              loading: .underWay
              loading.number: 1
              towns: [0]
            """, within: .zero)
    }
}
