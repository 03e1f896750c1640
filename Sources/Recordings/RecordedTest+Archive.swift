import Foundation

extension RecordedTest {
    /// Returns the test and its folder of canned responses as a tar archive, which `tar -x` unpacks into a test target.
    public func archive() throws -> Data {
        var archive = TarArchive()
        archive.add("Recorded\(name)Tests.swift", Data(source.utf8))
        for (file, data) in try cannedFiles() { archive.add("Recorded\(name)/\(file)", data) }
        return archive.data
    }
}

/// An archive of files in the ustar format of POSIX, with GNU's entries for long names.
struct TarArchive {
    private var entries = Data()

    /// The bytes of the archive; two empty blocks mark the end.
    var data: Data { entries + Data(count: 1_024) }

    mutating func add(_ name: String, _ contents: Data) {
        if name.utf8.count > 100 {
            append(Data(name.utf8) + [0], header: Self.header("././@LongLink", size: name.utf8.count + 1, type: "L"))
        }
        append(contents, header: Self.header(name, size: contents.count, type: "0"))
    }

    private mutating func append(_ contents: Data, header: [UInt8]) {
        entries += header
        entries += contents
        entries += Data(count: (512 - contents.count % 512) % 512)
    }

    private static func header(_ name: String, size: Int, type: Character) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        func write(_ text: some Sequence<UInt8>, at place: Int) {
            for (index, byte) in text.enumerated() { header[place + index] = byte }
        }
        func octal(_ number: Int, digits: Int) -> String.UTF8View {
            let text = String(number, radix: 8)
            return (String(repeating: "0", count: max(0, digits - text.count)) + text).utf8
        }
        write(name.utf8.prefix(100), at: 0)
        write("0000644".utf8, at: 100)
        write("0000000".utf8, at: 108)
        write("0000000".utf8, at: 116)
        write(octal(size, digits: 11), at: 124)
        write(octal(0, digits: 11), at: 136)
        write(String(type).utf8, at: 156)
        write("ustar".utf8, at: 257)
        write("00".utf8, at: 263)
        // The checksum counts its own field as spaces.
        let sum = header.reduce(8 * 32) { $0 + Int($1) }
        write(octal(sum, digits: 6), at: 148)
        header[155] = 32
        return header
    }
}
