import Foundation
import JSONSamples
import Testing

@testable import JSON

/// Objects with the same keys share a shape, so that their keys are compared and looked up once.
@Suite("Shapes of objects")
struct JSONShapesTests {
    /// The shapes of the objects in the lists of an object.
    private func shapes(_ lists: [[String]]) throws -> [[UInt32]] {
        let members = lists.enumerated().map { "\"list\($0)\":[\($1.joined(separator: ","))]" }
        return try JSONIndex.read(Data("{\(members.joined(separator: ","))}".utf8)) { root in
            root.members.map { $0.value.elements.map { root.index.shape(at: $0.position) } }
        }
    }

    @Test("Objects with the same keys in the same order have one shape, wherever they stand, and others have their own")
    func same() throws {
        let objects = [
            #"{"a":0,"b":[1,2]}"#, #"{"b":0,"a":{}}"#, #"{"a":0}"#, "{}", #"{"a":0,"b":0,"c":0}"#, #"{"é":0,"b":0}"#,
            #"{"\u0061":0,"b":0}"#, #"{"aa":0,"a key of more than sixteen bytes":0}"#,
        ]
        let again = [
            #"{ "a" : "x", "b" : null }"#, #"{"b":[{}],"a":0}"#, #"{"a":[[0]]}"#, "{ }",
            #"{"a":{},"b":{"a":0},"c":[]}"#, #"{"é":"x","b":1.5}"#, #"{"\u0061":true,"b":0}"#,
            #"{"aa":[1],"a key of more than sixteen bytes":[]}"#,
        ]
        let lists = try shapes([objects, again, objects.reversed()])
        #expect(Set(lists[0]).count == objects.count)
        #expect(lists[1] == lists[0])
        #expect(lists[2] == lists[0].reversed())
        #expect(!lists[0].contains(0))
    }

    @Test("A shape is met again after many others, which differ in any one of their keys")
    func many() throws {
        let objects = (0..<200).map { number in
            "{\((0..<4).map { "\"k\($0 == number % 4 ? number : -$0)\":\(number)" }.joined(separator: ","))}"
        }
        let lists = try shapes([objects, objects, objects.reversed()])
        #expect(Set(lists[0]).count == objects.count)
        // An object whose place in the table is taken, with all those near it, gets a shape of its own each time.
        #expect(Set(lists.joined()).count < objects.count + 60)
    }
}
