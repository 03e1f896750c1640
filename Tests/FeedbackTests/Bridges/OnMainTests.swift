import Feedback
import Foundation
import Testing

@MainActor
struct OnMainTests {
    @Test(
        "A value that arrives on the main actor is taken at once, and one of another thread when the main actor gets to it"
    )
    func threads() async {
        let (names, input) = Signal<String, NoError>.pipe()
        let screen = Screen()
        let (observed, started) = (Screen(), Screen())
        names.observeOnMain { observed.title = $0 }
        names.producer.startOnMain { started.title = $0 }
        screen.reactive.title <~ names
        input.send(value: "Ada")
        #expect([screen, observed, started].map(\.title) == ["Ada", "Ada", "Ada"])

        await Task.detached { input.send(value: "Grace") }.value
        while screen.title != "Grace" || observed.title != "Grace" || started.title != "Grace" { await Task.yield() }
    }

    @Test("Nothing is taken after a disposal on the main actor, not even what was on its way")
    func disposal() async {
        let (numbers, input) = Signal<Int, NoError>.pipe()
        var taken: [Int] = []
        let disposable = numbers.observeOnMain { taken.append($0) }
        sendFromElsewhere(1, to: input)
        disposable?.dispose()
        await withCheckedContinuation { done in UIScheduler().schedule { done.resume() } }
        await Task.yield()
        #expect(taken == [])
    }

    @Test("A binding target does not keep its object alive, and ends with its lifetime")
    func target() {
        let source = MutableProperty("Ada")
        var screen: Screen? = Screen()
        weak let held = screen
        let target = screen!.reactive.title
        target <~ source
        #expect(screen?.title == "Ada")
        screen = nil
        #expect(held == nil && target.lifetime.hasEnded)
        source.value = "Grace"
    }
}

/// Sends a value on another thread while this one, that of the main actor, waits, so that nobody can have taken it afterwards.
private func sendFromElsewhere(_ value: Int, to input: Observer<Int, NoError>) {
    let sent = DispatchSemaphore(value: 0)
    Thread {
        input.send(value: value)
        sent.signal()
    }.start()
    sent.wait()
}

@MainActor
private final class Screen: ReactiveExtensionsProvider {
    let token = Lifetime.Token()
    var lifetime: Lifetime { Lifetime(token) }
    var title = ""
}

extension Reactive where Base: Screen {
    @MainActor fileprivate var title: BindingTarget<String> {
        makeBindingTarget(lifetime: base.lifetime) { $0.title = $1 }
    }
}
