extension JSONScanner {
    func endFault(isObject: Bool) -> JSONFault {
        JSONFault("The body ends in the middle of an \(isObject ? "object" : "array").", at: end)
    }

    func numberFault(at start: Int) -> JSONFault {
        var p = start
        while p < end, "+-.eE0123456789".utf8.contains(bytes[p]) { p += 1 }
        let text = String(decoding: UnsafeBufferPointer(start: bytes + start, count: min(p - start, 40)), as: UTF8.self)
        return JSONFault("\"\(text)\" is not a number.", at: start)
    }

    func unexpected(_ wanted: String, at p: Int) -> JSONFault {
        guard p < end else { return JSONFault("Expected \(wanted), but the body ends.", at: p) }
        let byte = bytes[p]
        let found = byte < 0x80 && byte > 0x20 ? "\"\(Character(UnicodeScalar(byte)))\"" : "byte \(byte)"
        return JSONFault("Expected \(wanted), but found \(found).", at: p)
    }
}
