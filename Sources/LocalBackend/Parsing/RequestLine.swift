/// A request line: `GET /v1/cities?page=2 HTTP/1.1`.
enum RequestLine {
    static func parse(_ line: ArraySlice<UInt8>) throws(Rejection) -> LocalBackend.Request {
        let space = UInt8(ascii: " ")
        guard let first = line.firstIndex(of: space), let last = line.lastIndex(of: space), first < last else {
            throw .malformedRequestLine
        }
        let method = line[..<first]
        guard isToken(method) else { throw .malformedRequestLine }
        let minorVersion = try parseVersion(line[(last + 1)...])
        guard !method.elementsEqual("CONNECT".utf8) else { throw .unsupportedMethod }
        let target = line[(first + 1)..<last]
        try check(target)
        return LocalBackend.Request(
            method: LocalBackend.Method(rawValue: String(decoding: method, as: UTF8.self)),
            target: String(decoding: target, as: UTF8.self), minorVersion: minorVersion)
    }

    private static func parseVersion(_ text: ArraySlice<UInt8>) throws(Rejection) -> Int {
        let name = Array("HTTP/".utf8)
        let numbers = text.dropFirst(name.count)
        guard text.starts(with: name), numbers.count == 3, numbers[numbers.startIndex + 1] == UInt8(ascii: "."),
            let major = decimalValue(numbers[numbers.startIndex]),
            let minor = decimalValue(numbers[numbers.startIndex + 2])
        else { throw .malformedRequestLine }
        guard major == 1 else { throw .unsupportedVersion }
        return min(Int(minor), 1)
    }

    /// Throws unless the target is a path, an absolute URL, or `*`, in visible ASCII with well-formed escapes and no
    /// fragment.
    private static func check(_ target: ArraySlice<UInt8>) throws(Rejection) {
        guard
            target.first == UInt8(ascii: "/") || target.elementsEqual("*".utf8)
                || (target.starts(with: "http://".utf8) && target.count > "http://".utf8.count)
        else { throw .malformedTarget }
        for (index, byte) in zip(target.indices, target) {
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#") else { throw .malformedTarget }
            if byte == UInt8(ascii: "%"), hexPair(target[(index + 1)...]) == nil { throw .malformedTarget }
        }
    }
}

func decimalValue(_ byte: UInt8) -> UInt8? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? byte - UInt8(ascii: "0") : nil
}

func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") }

func isToken(_ text: some Collection<UInt8>) -> Bool { !text.isEmpty && text.allSatisfy(isTokenByte) }

/// The bytes of methods and header names.
func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
        UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
        true
    default: false
    }
}
