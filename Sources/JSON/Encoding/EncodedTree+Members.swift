import Foundation

extension EncodedTree {
    /// A member of an object, by the node that has its key and the one that has its value: of two with equal keys, the first
    /// one's key stays and the last one's value counts.
    typealias Member = (key: Int, value: Int)

    /// The members of an object in the order in which they are written.
    func members(of object: Node, sorted: Bool) -> [Member] {
        var members: [Member] = []
        members.reserveCapacity(Int(object.count))
        var (child, isPlain) = (Int(object.first), true)
        while child != 0 {
            let node = self[child]
            if node.kind != .removed {
                members.append((child, child))
                if !node.hasPlainKey { isPlain = false }
            }
            child = Int(node.next)
        }
        if hasEqualKeys(members, isPlain: isPlain) { members = merged(members) }
        guard sorted else { return members }
        return members.map { (name(of: $0.key), $0) }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map(\.1)
    }

    private func hasEqualKeys(_ members: [Member], isPlain: Bool) -> Bool {
        guard isPlain, members.count <= 16 else { return Set(members.map { name(of: $0.key) }).count < members.count }
        for (index, member) in members.enumerated() {
            let key = self[member.key].key
            for other in members[..<index] where self[other.key].key.count == key.count {
                if haveEqualKeys(self[other.key].key, key) { return true }
            }
        }
        return false
    }

    private func merged(_ members: [Member]) -> [Member] {
        var places: [String: Int] = [:]
        var result: [Member] = []
        for member in members {
            let name = name(of: member.key)
            if let place = places[name] {
                result[place].value = member.value
            } else {
                places[name] = result.count
                result.append(member)
            }
        }
        return result
    }

    /// The key of a node, which is read from its text.
    private func name(of node: Int) -> String {
        bytes.withBytes(self[node].key) { (try? JSONIndex.read(Data($0)) { $0.string }) ?? "" }
    }
}
