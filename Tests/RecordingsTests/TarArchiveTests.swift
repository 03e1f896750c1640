import Foundation
import Testing

@testable import Recordings

@Suite("The archive of a recorded test")
struct TarArchiveTests {
    private func archive(_ name: String, _ contents: Data) -> Data {
        var archive = TarArchive()
        archive.add(name, contents)
        return archive.data
    }

    @Test("An entry has a header of 512 bytes, in which the checksum counts itself as spaces")
    func header() throws {
        let header = Array(archive("a.txt", Data(count: 520)).prefix(512))
        func text(_ range: Range<Int>) -> String { String(decoding: header[range], as: UTF8.self) }
        #expect(text(0..<100) == "a.txt" + String(repeating: "\0", count: 95))
        // The permissions, the numbers of the user and of the group, the size and the time.
        #expect(text(100..<124) == "0000644\0" + "0000000\0" + "0000000\0")
        #expect(text(124..<148) == "00000001010\0" + "00000000000\0")
        #expect(text(156..<265) == "0" + String(repeating: "\0", count: 100) + "ustar\0" + "00")
        #expect(header[265...].allSatisfy { $0 == 0 })
        let sum = header.enumerated().reduce(0) { $0 + (148..<156 ~= $1.offset ? 32 : Int($1.element)) }
        let digits = String(sum, radix: 8)
        #expect(text(148..<156) == String(repeating: "0", count: 6 - digits.count) + digits + "\0 ")
    }

    @Test("Contents are filled up to blocks of 512 bytes, and two empty blocks end the archive")
    func blocks() {
        for (size, blocks) in [(0, 0), (1, 1), (512, 1), (513, 2)] {
            let data = archive("a", Data(repeating: 1, count: size))
            #expect(data.count == (1 + blocks + 2) * 512, "\(size) bytes")
            #expect(data.dropFirst(512).prefix(size).allSatisfy { $0 == 1 })
            #expect(data.dropFirst(512 + size).allSatisfy { $0 == 0 })
        }
    }

    @Test("A name of up to 100 bytes is in the header of its entry, a longer one in an entry before")
    func longNames() {
        let (fitting, long) = (String(repeating: "n", count: 100), String(repeating: "n", count: 101))
        let short = archive(fitting, Data())
        #expect(short.count == 3 * 512 && String(decoding: short.prefix(100), as: UTF8.self) == fitting)
        let other = archive(long, Data())
        #expect(other.count == 5 * 512 && String(decoding: other.prefix(13), as: UTF8.self) == "././@LongLink")
        #expect(other[156] == UInt8(ascii: "L") && other[1_024 + 156] == UInt8(ascii: "0"))
        #expect(String(decoding: other.dropFirst(512).prefix(102), as: UTF8.self) == long + "\0")
        #expect(String(decoding: other.dropFirst(1_024).prefix(100), as: UTF8.self) == fitting)
    }
}
