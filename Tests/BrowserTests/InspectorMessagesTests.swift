import Feedback
import FeedbackTesting
@testable import Presentation
import Testing

@testable import Browser

@Suite("The messages of the inspector")
struct InspectorMessagesTests {
    /// The history of a screen and of a model without one, whose times are known.
    private func contents(dropped: Int = 0) -> StepHistory.Contents {
        let history = StepHistory()
        let screens = ScreenStack()
        let listening = history.follow(screens)
        let model = LiveViewModel(NotesViewModel())
        screens.push(LiveScreen(model, NotesRenderer()) { _ in })
        screens.report(LiveViewModel(NoteViewModel(note: "Shared")))
        for text in ["Milk", "Bread"] { model.send(.write(text)) }
        listening.dispose()
        var contents = history.current
        contents.moments = contents.moments.enumerated().map { number, moment in
            .init(time: .microseconds(1_500 * number), model: moment.model, kind: moment.kind)
        }
        contents.moments.removeFirst(dropped)
        contents.dropped = dropped
        return contents
    }

    @Test("Moments come with their times and the models that the browser does not know")
    func moments() {
        let models =
            #"{"number":0,"name":"NotesViewModel","screen":1},{"number":1,"name":"NoteViewModel","screen":0}"#
        let (json, next) = InspectorMessages.moments(of: contents(), from: 0, models: 0)
        #expect(
            json == #"{"from":0,"models":[\#(models)],"moments":[[0,0,0,"",""],[1500,1,0,"",""],"#
                + #"[3000,0,1,".ui(.write(\"Milk\"))","sent"],[4500,0,1,".ui(.write(\"Bread\"))","sent"]]}"#)
        #expect(next == 4)
        #expect(
            InspectorMessages.moments(of: contents(), from: 3, models: 2).json
                == #"{"from":3,"models":[],"moments":[[4500,0,1,".ui(.write(\"Bread\"))","sent"]]}"#)
        #expect(
            InspectorMessages.moments(of: contents(), from: 4, models: 2).json
                == #"{"from":4,"models":[],"moments":[]}"#)
    }

    @Test("If moments are dropped, a message begins with the first that is kept, and names the models that are kept")
    func dropped() {
        var contents = contents(dropped: 3)
        contents.moments.append(.init(time: .zero, model: 1, kind: .initial))
        // The model has no screen, so that of the moment before is shown.
        #expect(InspectorMessages.moment(4, of: contents)?.contains("<article>") == true)
        contents.moments.removeLast()
        contents.models[1] = nil
        let moment = #"[4500,0,1,".ui(.write(\"Bread\"))","sent"]"#
        let (json, next) = InspectorMessages.moments(of: contents, from: 1, models: 2)
        #expect(json == #"{"from":3,"models":[],"dropped":3,"kept":[0],"moments":[\#(moment)]}"#)
        #expect(next == 4)
        // One that is dropped is told, too.
        #expect(
            InspectorMessages.moments(of: self.contents(dropped: 1), from: 0, models: 2).json
                .hasPrefix(#"{"from":1,"models":[],"dropped":1,"kept":["#))
        // The browser knows that they are dropped.
        #expect(
            InspectorMessages.moments(of: contents, from: 3, models: 2, dropped: 3).json
                == #"{"from":3,"models":[],"moments":[\#(moment)]}"#)
    }

    @Test("A moment has its event, the state before and after it, and the screen as it looked then")
    func moment() throws {
        let json = try #require(InspectorMessages.moment(2, of: contents()))
        let state =
            #"{"l":"","a":"State","k":"changed","c":[{"l":"draft","b":"\"\"","a":"\"Milk\"","k":"changed"},"#
            + #"{"l":"notes","a":"[0]"},{"l":"isWorking","a":"false"}]}"#
        let start = #"{"number":2,"event":".ui(.write(\"Milk\"))","state":\#(state),"screen":"<article>"#
        #expect(json.hasPrefix(start), "\(json)")
        #expect(json.hasSuffix(#"</article>"}"#) && json.contains(#"value=\"Milk\""#))
        let first = try #require(InspectorMessages.moment(0, of: contents()))
        #expect(first.hasPrefix(#"{"number":0,"state":{"l":"","a":"State","c":["#), "\(first)")
        #expect(InspectorMessages.moment(4, of: contents()) == nil)
        #expect(InspectorMessages.moment(1, of: contents(dropped: 2)) == nil)
        // A model without a screen is shown with the screen that changed last.
        #expect(try #require(InspectorMessages.moment(1, of: contents())).contains("<article>"))
    }
}
