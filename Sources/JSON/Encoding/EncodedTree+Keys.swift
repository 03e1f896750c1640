extension EncodedTree {
    /// The last node of each key of a wide object, so that an object of many containers is not searched for each.
    struct KeyIndex {
        /// The object's first node. It differs once the object is opened anew, and the index is made anew then.
        let first: Int
        /// The last node that is in the index.
        var last = 0
        var nodes: [[UInt8]: Int] = [:]
    }

    /// Objects with fewer members are searched without an index.
    private static var wide: Int32 { 16 }

    /// Returns the last node of a container that has the key, if there is one.
    func child(of container: Int, key: Range<Int>) -> Int? {
        guard self[container].count >= Self.wide else { return search(container, for: key) }
        let node = indexedChild(of: container, key: key)
        // Before a node that was removed there may be another one with its key.
        if let node, self[node].kind == .removed { return search(container, for: key) }
        return node
    }

    private func search(_ container: Int, for key: Range<Int>) -> Int? {
        var (found, node): (Int?, Int) = (nil, Int(self[container].first))
        while node != 0 {
            if self[node].kind != .removed, haveEqualKeys(self[node].key, key) { found = node }
            node = Int(self[node].next)
        }
        return found
    }

    private func indexedChild(of container: Int, key: Range<Int>) -> Int? {
        let first = Int(self[container].first)
        // Taken out, so that it is changed in place.
        var index = keyIndexes.removeValue(forKey: container) ?? KeyIndex(first: first)
        if index.first != first { index = KeyIndex(first: first) }
        var node = index.last == 0 ? first : Int(self[index.last].next)
        while node != 0 {
            index.nodes[bytes.withBytes(self[node].key) { Array($0) }] = node
            index.last = node
            node = Int(self[node].next)
        }
        let found = index.nodes[bytes.withBytes(key) { Array($0) }]
        keyIndexes[container] = index
        return found
    }
}
