import Foundation

extension EncodedTree {
    /// A member of an object, by the node of its key and the node of its value. Of two members with equal keys, the
    /// first one's place and the last one's value count.
    typealias Member = (key: Int, value: Int)

    /// The members of an object in the order in which they are written; `nil` if that is the order of its nodes.
    func reorderedMembers(of object: Node, sorted: Bool) -> [Member]? {
        let hasEqualKeys = hasEqualKeys(object)
        guard hasEqualKeys || sorted else { return nil }
        var members: [Member] = []
        members.reserveCapacity(Int(object.count))
        var child = Int(object.first)
        while child != 0 {
            if self[child].kind != .removed { members.append((child, child)) }
            child = Int(self[child].next)
        }
        if hasEqualKeys { members = merged(members) }
        guard sorted else { return members }
        return members.map { (name(of: $0.key), $0) }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map(\.1)
    }

    /// Returns whether a key occurs twice, possibly in a node that was removed.
    private func hasEqualKeys(_ object: Node) -> Bool {
        if object.count > 16 { return hasEqualNames(object) }
        var child = Int(object.first)
        while child != 0 {
            let node = self[child]
            if !node.hasPlainKey { return hasEqualNames(object) }
            var other = Int(object.first)
            while other != child {
                if haveEqualKeys(self[other].key, node.key) { return true }
                other = Int(self[other].next)
            }
            child = Int(node.next)
        }
        return false
    }

    private func hasEqualNames(_ object: Node) -> Bool {
        var names: Set<String> = []
        var child = Int(object.first)
        while child != 0 {
            if !names.insert(name(of: child)).inserted { return true }
            child = Int(self[child].next)
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

    /// Returns the key of a node, read back from its encoded text.
    private func name(of node: Int) -> String {
        bytes.withBytes(self[node].key) { (try? JSONIndex.read(Data($0)) { $0.string }) ?? "" }
    }
}
