/// Reads a body once, by the grammar of RFC 8259, and writes its index.
///
/// It keeps a stack of its own, so that deep nesting does not overflow the thread's stack.
///
/// Bodies are mostly lists of objects with the same keys. So each container has a template: the container at the same
/// place in the previous element. A key that equals the template's next key is recognised by comparing the two, without
/// scanning it. An object that has all keys of its template has the template's shape, and so is known to have no key
/// twice.
struct JSONScanner {
    /// The greatest depth of nesting; that of `JSONDecoder`.
    static let maximumDepth = 512

    let bytes: UnsafePointer<UInt8>
    let end: Int
    var tape: JSONTape
    private var shapes = JSONShapes()

    /// An open container.
    private struct Frame {
        /// The position of its first word.
        var token = 0
        var offset = 0
        var isObject = false
        var count = 0
        /// The position of a token that the next value probably resembles; 0 if there is none. (The token at 0 is the
        /// root, which has no siblings and so is never a template.)
        var valueTemplate = 0
        /// In an object: the positions of the template's next key and of its end, and the template's shape.
        var templateKey = 0
        var templateEnd = 0
        var shape: UInt32 = 0
        /// True if all keys up to here are the template's, in its order.
        var followsTemplate = false
        /// The number of the template's keys that are left out before the last key, and a bit for each of the first 64
        /// of them.
        var skips = 0
        var skipped: UInt64 = 0
        /// In an array: the shape of the last object that left out some of its template's keys, and the number of
        /// objects in a row that repeated it.
        var partShape: UInt32 = 0
        var partCount: UInt32 = 0
    }

    /// The caller deallocates the tape, also after a fault.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        // An empty buffer may have no address, and none is read then.
        self.bytes = bytes.baseAddress ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped
        end = bytes.count
        tape = JSONTape(capacity: bytes.count / 6 + 16)
    }

    /// Writes the index of the whole body.
    mutating func scan() throws(JSONFault) {
        try checkEncoding()
        // The stack starts small: few bodies are deep, and allocating memory for the greatest depth takes as long as
        // reading a small body.
        var capacity = 8
        var parents = UnsafeMutablePointer<Frame>.allocate(capacity: capacity)
        defer { parents.deallocate() }
        var depth = 0
        var frame = Frame()
        var p = skipSpace(0)
        if p == end { throw JSONFault("The body is empty.") }
        value: while true {
            guard p < end else { throw endFault(isObject: frame.isObject) }
            let byte = bytes[p]
            switch byte {
            case UInt8(ascii: "\""):
                p = try scanString(from: p &+ 1)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if depth == Self.maximumDepth {
                    throw JSONFault(
                        "Arrays and objects are nested deeper than \(Self.maximumDepth) levels.", at: p)
                }
                if depth == capacity {
                    parents = Self.grow(parents, depth)
                    capacity = Self.maximumDepth
                }
                let template = frame.valueTemplate
                parents[depth] = frame
                depth &+= 1
                frame = open(isObject: byte == UInt8(ascii: "{"), at: p, template: template)
                p = skipSpace(p &+ 1)
                guard p < end else { throw endFault(isObject: frame.isObject) }
                if bytes[p] != (frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    if frame.isObject { p = try scanKey(at: p, &frame) }
                    continue value
                }
                p &+= 1
                frame = try close(frame, parent: parents[depth &- 1])
                depth &-= 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                p = try scanNumber(at: p)
            default:
                p = try scanLiteral(byte, at: p)
            }
            // After a value: a comma and the next one, or the end of its container, which is a value itself.
            while true {
                guard depth > 0 else {
                    p = skipSpace(p)
                    if p == end { return }
                    throw JSONFault("Something follows after the end of the JSON value.", at: p)
                }
                p = skipSpace(p)
                guard p < end else { throw endFault(isObject: frame.isObject) }
                let byte = bytes[p]
                if byte == UInt8(ascii: ",") {
                    frame.count &+= 1
                    p = skipSpace(p &+ 1)
                    if frame.isObject { p = try scanKey(at: p, &frame) }
                    continue value
                }
                guard byte == (frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw unexpected("a comma or the end of the \(frame.isObject ? "object" : "array")", at: p)
                }
                frame.count &+= 1
                p &+= 1
                frame = try close(frame, parent: parents[depth &- 1])
                depth &-= 1
            }
        }
    }

    @inline(never)
    private static func grow(_ frames: UnsafeMutablePointer<Frame>, _ depth: Int) -> UnsafeMutablePointer<Frame> {
        let larger = UnsafeMutablePointer<Frame>.allocate(capacity: maximumDepth)
        larger.moveInitialize(from: frames, count: depth)
        frames.deallocate()
        return larger
    }

    private func checkEncoding() throws(JSONFault) {
        guard end < JSONToken.payloadLimit - 2 * Self.maximumDepth else {
            throw JSONFault("The body is larger than 256 MB.")
        }
        let start = UnsafeBufferPointer(start: bytes, count: min(end, 4))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw JSONFault("The body begins with a byte order mark, which JSON does not allow.")
        }
        if start.contains(0) || start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
            throw JSONFault("The body is not UTF-8 (it looks like UTF-16 or UTF-32).")
        }
    }

    // MARK: - Containers

    @inline(__always)
    private mutating func open(isObject: Bool, at p: Int, template: Int) -> Frame {
        var frame = Frame(token: tape.count, offset: p, isObject: isObject)
        if template != 0 {
            let token = tape[template]
            if isObject, token.kind == .object {
                frame.templateKey = template &+ 2
                frame.templateEnd = template &+ token.payload
                frame.shape = UInt32(truncatingIfNeeded: tape.words[template &+ 1] &>> 32)
                frame.followsTemplate = true
            } else if !isObject, token.kind == .array, token.payload > 2 {
                frame.valueTemplate = template &+ 2
            }
        }
        tape.appendContainer()
        return frame
    }

    /// Ends the container of a frame; returns the parent's frame.
    @inline(__always)
    private mutating func close(_ frame: Frame, parent: Frame) throws(JSONFault) -> Frame {
        var parent = parent
        guard frame.isObject else {
            if !parent.isObject { parent.valueTemplate = frame.token }
            tape.setContainer(.array, at: frame.token, offset: frame.offset, members: frame.count, shape: 0)
            return parent
        }
        var isTemplate = true
        let shape: UInt32
        if !frame.followsTemplate {
            shape = try shapes.shape(ofObjectAt: frame.token, count: frame.count, tape: tape, bytes: bytes)
        } else if frame.skips == 0, frame.templateKey == frame.templateEnd {
            shape = frame.shape
        } else {
            let part = JSONShapes.Part(
                shape: frame.shape, skipped: frame.skipped, count: UInt32(truncatingIfNeeded: frame.count))
            shape = try shapes.shape(of: part, ofObjectAt: frame.token, tape: tape, bytes: bytes)
            // The object leaves out some keys. The next object may have them again, so the template stays until several
            // objects in a row leave out the same keys.
            parent.partCount = parent.partShape == shape ? parent.partCount &+ 1 : 0
            parent.partShape = shape
            isTemplate = parent.partCount > 8
        }
        if isTemplate, !parent.isObject { parent.valueTemplate = frame.token }
        tape.setContainer(.object, at: frame.token, offset: frame.offset, members: frame.count, shape: shape)
        return parent
    }

    /// Reads a key and its colon; returns the offset of the value.
    @inline(__always)
    private mutating func scanKey(at p: Int, _ frame: inout Frame) throws(JSONFault) -> Int {
        guard p < end else { throw endFault(isObject: true) }
        guard bytes[p] == UInt8(ascii: "\"") else { throw unexpected("a key in quotes", at: p) }
        var next = p
        if frame.templateKey < frame.templateEnd {
            next = matchTemplate(at: p &+ 1, &frame)
        }
        if next == p {
            frame.followsTemplate = false
            frame.valueTemplate = 0
            next = try scanString(from: p &+ 1)
        }
        if next < end, bytes[next] == UInt8(ascii: ":") { return skipSpace(next &+ 1) }
        next = skipSpace(next)
        guard next < end else { throw endFault(isObject: true) }
        guard bytes[next] == UInt8(ascii: ":") else { throw unexpected("a colon", at: next) }
        return skipSpace(next &+ 1)
    }

    /// Takes the template's next key if it stands here, and returns the offset after its closing quote. Otherwise
    /// returns the offset of the opening quote.
    @inline(__always)
    private mutating func matchTemplate(at start: Int, _ frame: inout Frame) -> Int {
        let value = frame.templateKey &+ 1
        if isKey(at: frame.templateKey, at: start) {
            return takeKey(before: value, at: start, &frame)
        }
        // The object may leave out one key of the template here. A key that the template does not have leaves the
        // template's position unchanged.
        let next = value &+ tape[value].width
        guard next < frame.templateEnd, isKey(at: next, at: start) else { return start &- 1 }
        let number = frame.count &+ frame.skips
        if number < 64 { frame.skipped |= 1 &<< UInt64(number) } else { frame.followsTemplate = false }
        frame.skips &+= 1
        return takeKey(before: next &+ 1, at: start, &frame)
    }

    /// Returns whether the key at a position of the tape stands at an offset, followed by a quote.
    @inline(__always)
    private func isKey(at position: Int, at start: Int) -> Bool {
        let key = tape[position]
        let length = key.payload
        return key.kind == .asciiString && start &+ length < end && bytes[start &+ length] == UInt8(ascii: "\"")
            && SWAR.areEqual(bytes + start, bytes + key.offset, count: length)
    }

    @inline(__always)
    private mutating func takeKey(before value: Int, at start: Int, _ frame: inout Frame) -> Int {
        let length = tape[value &- 1].payload
        frame.templateKey = value &+ tape[value].width
        frame.valueTemplate = value
        tape.append(JSONToken(.asciiString, payload: length, offset: start))
        return start &+ length &+ 1
    }

    // MARK: - White space

    @inline(__always)
    private func skipSpace(_ start: Int) -> Int {
        var p = start
        // Compact bodies have no white space, so this is mostly one comparison.
        while p < end, bytes[p] <= 0x20 {
            let byte = bytes[p]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            p &+= 1
        }
        return p
    }
}
