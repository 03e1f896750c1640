import Foundation
import Persistence
import Testing

@Suite("Attributes")
struct AttributeTests {
    private struct Place: Hashable, Sendable {
        var x = 0
        var y = 0
    }

    private struct Tree: Identifiable, Sendable {
        var id = 1
        var height = 2
        var place = Place(x: 3, y: 4)
        var doubled: Int { height * 2 }
    }

    private struct Bush: Identifiable, Sendable {
        var id = 1
        var height = 2
    }

    private final class Forest: Identifiable, Sendable {
        let id = 1
        let name = "Sherwood"
    }

    @Test("Not a number comes after all numbers, of both sizes")
    func notANumber() {
        #expect(Float.isOrdered(1, before: .nan) && Float.isOrdered(1, before: 2))
        #expect(
            !Float.isOrdered(.nan, before: 1) && !Float.isOrdered(.nan, before: .nan) && !Float.isOrdered(1, before: 1))
        #expect(Double.isOrdered(1, before: .nan) && Double.isOrdered(1, before: 2))
        #expect(!Double.isOrdered(.nan, before: 1) && !Double.isOrdered(.nan, before: .nan))
    }

    @Test("Nil comes before every value, and nothing before nil")
    func optionals() {
        typealias Number = Int?
        #expect(Number.isOrdered(nil, before: 1) && Number.isOrdered(1, before: 2))
        #expect(!Number.isOrdered(1, before: nil) && !Number.isOrdered(nil, before: nil))
        #expect(!Number.isOrdered(2, before: 1) && !Number.isOrdered(1, before: 1))
    }

    @Test("Values of different kinds are in the order of their kinds, nil first")
    func kinds() {
        let values: [PrimitiveValue] = [
            .null, .bool(true), .integer(0), .unsigned(.max), .real(0), .date(.distantPast), .text(""), .uuid(.zero),
            .data(Data()), .unencodable(reason: ""),
        ]
        for (index, value) in values.enumerated() {
            for (otherIndex, other) in values.enumerated() {
                #expect(PrimitiveValue.isOrdered(value, before: other) == (index < otherIndex), "\(value), \(other)")
            }
        }
    }

    @Test("Values that cannot be encoded are equal if their reasons are")
    func unencodable() {
        #expect(PrimitiveValue.unencodable(reason: "a") == .unencodable(reason: "a"))
        #expect(PrimitiveValue.unencodable(reason: "a") != .unencodable(reason: "b"))
        #expect(PrimitiveValue.unencodable(reason: "a") != .text("a"))
    }

    @Test("An attribute reads stored, nested and computed properties, and those of a class")
    func values() {
        let tree = Tree()
        #expect(Attribute<Tree>(\.height).value(in: tree) == .integer(2))
        #expect(Attribute<Tree>(\.place.y).value(in: tree) == .integer(4))
        #expect(Attribute<Tree>(\.doubled).value(in: tree) == .integer(4))
        #expect(Attribute<Tree>.id.value(in: tree) == .integer(1))
        #expect(Attribute<Forest>(\.name).value(in: Forest()) == .text("Sherwood"))
    }

    @Test("An attribute has the key path that it was made of")
    func keyPaths() {
        let height: PartialKeyPath<Tree> = Attribute<Tree>(\.height).keyPath
        #expect(height == \Tree.height)
        #expect(Tree()[keyPath: height] as? Int == 2)
        #expect(Attribute<Forest>(\.name).keyPath == \Forest.name)
    }

    @Test("Attributes are equal exactly if they are the same property of the same model")
    func equality() {
        #expect(Attribute<Tree>(\.height) == Attribute(\.height))
        #expect(Attribute<Tree>(\.doubled) == Attribute(\.doubled))
        #expect(Attribute<Tree>(\.height) != Attribute(\.place.x))
        #expect(Attribute<Tree>(\.height) != Attribute(\.doubled))
        // Two models may have properties of one type in the same place.
        #expect(Attribute<Tree>(\.height).erased != Attribute<Bush>(\.height).erased)
    }

    @Test("Conditions test stored, nested and computed properties, and those of a class, in memory")
    func conditions() throws {
        let condition: Condition<Tree> = \.place.y == 4 && \.doubled > 3 && \.height != 5
        #expect(try condition.matches(Tree()))
        #expect(try !condition.matches(Tree(height: 1)))
        #expect(try Condition<Forest>.startsWith(\.name, "Sher").matches(Forest()))
        let trees = (0..<5).map { Tree(id: $0, height: 10 - $0) }
        let store = MemoryStore(id: \Tree.id)
        try store.insert(trees).get()
        let page = store.sorted(by: \.doubled).page(after: trees[3], limit: 2)
        #expect(try page.result().get().map(\.id) == [2, 1])
    }

    @Test("The form of a condition has the parts that the condition was made of")
    func forms() {
        let condition: Condition<Tree> = !(\.height == 2) && (.in(\.doubled, [1, 2]) || .between(\.place.x, 3...4))
        guard case .and(let parts) = condition.form, parts.count == 2, case .not(let equal) = parts[0].form,
            case .or(let others) = parts[1].form, others.count == 2
        else {
            Issue.record("\(condition.form)")
            return
        }
        #expect(equal.form == .comparison(Attribute(\.height), .equal, .integer(2)))
        #expect(others[0].form == .membership(Attribute(\.doubled), [.integer(1), .integer(2)]))
        #expect(others[1].form == .between(Attribute(\.place.x), .integer(3), .integer(4)))
        #expect(equal == (\.height == 2))
        #expect(Condition<Forest>.contains(\.name, "wood").form != .constant(true))
    }
}
