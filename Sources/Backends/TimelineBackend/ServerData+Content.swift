extension ServerData {
    static let people: [ServerAccount] = [
        ("ada", "Ada Quist", "Bridges, mostly."), ("bo", "Bo Lindgren", "Bakes. Sometimes it rises."),
        ("chidi", "Chidi Eze", "Maps of places that were."), ("dana", "Dana Reyes", "Night trains &amp; timetables."),
        ("emil@hills.example", "Emil 🏔", "Up there."), ("fatou", "Fatou Diop", "Birds, by ear."),
        ("greta@lake.example", "", "Nothing to add."), ("hiro", "広 Hiro", "Repairs radios."),
        ("ines", "Inês Prata", "Chess, badly."), ("jonas", "Jonas &amp; Co", "A shop for paper."),
        ("kim", "Kim Soo-ah", "Letters from the observatory."), ("lou", "Lou", "Gardens on roofs."),
    ].enumerated().map { index, person in
        ServerAccount(
            id: "\(index + 1)", acct: person.0, display_name: person.1, note: "<p>\(person.2)</p>",
            followers_count: 17 * index + 3, following_count: 11 * index, statuses_count: 25)
    }

    /// The text of a status, as HTML.
    static func content(_ number: Int) -> String {
        let subjects = [
            "The night train", "A heron", "The old radio", "This bread", "The bridge at Orsa", "My tomato plant",
            "The comet", "An unsigned letter", "The chess club", "The ferry", "A map from 1902",
        ]
        let events = [
            "was early today", "has come back", "needs a new spring", "is better with rye", "closes for a week",
            "survived the frost", "can be seen until Friday", "was under the floor", "meets upstairs now",
        ]
        let sentence = "\(subjects[number % subjects.count]) \(events[number % events.count])"
        switch number % 8 {
        case 1:
            return "<p>\(sentence) &amp; nobody &quot;knew&quot;.</p><p>Number \(number), for the record.</p>"
        case 2:
            return
                "<p><span class=\"h-card\"><a href=\"https://m.example/@ada\" class=\"u-url mention\">@<span>ada</span>"
                + "</a></span> \(sentence).<br>Did you see? #\(number)</p>"
        case 3:
            return "<p>\(sentence): <a href=\"https://www.notes.example/\(number)/a-long-story\" rel=\"nofollow\">"
                + "<span class=\"invisible\">https://www.</span><span class=\"ellipsis\">notes.example/\(number)/a-lo</span>"
                + "<span class=\"invisible\">ng-story</span></a></p>"
        case 4: return "<p>\(sentence) :blobcat: (\(number))</p>"
        case 5: return "<p>\(sentence).</p><ul><li>first</li><li>second</li></ul><p>&#8212; \(number)</p>"
        default: return "<p>\(sentence). (\(number))</p>"
        }
    }
}
