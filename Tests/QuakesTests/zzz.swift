import Presentation
import Testing
import Foundation
import Networking
import Fixtures
import QuakesBackend
@testable import Quakes
struct ZZZ { @Test func show() throws {
  let feed: QuakeFeed = try Parser.parse(QuakeFeedGenerator(count: 4_000, end: .quakeFixture).feed(last: 86400)).get()
  print(Screen<Never>(title: "Map", sections: [.init(rows: [.picture(WorldMap().picture(of: [], selected: nil))])]).text())
  print(Screen<Never>(title: "Map", sections: [.init(rows: [.picture(WorldMap().picture(of: feed.quakes, selected: feed.quakes[3]))])]).text())
} }
