#if os(Linux)
import Foundation
import JSON
import Testing

@Suite("The memory of bodies")
struct JSONMemoryTests {
    @Test("Bodies that were decoded or refused leave no memory behind")
    func released() async {
        await #expect(processExitsWith: .success) {
            let row = "{\((0..<70).map { "\"k\($0)\":\($0)" }.joined(separator: ","))}"
            let body = Data("[\(row),\(row),\(row)]".utf8)
            let faulty = Data("[\(String(repeating: "1,", count: 20_000))]".utf8)
            let whole = Data("[\(String(repeating: "1,", count: 20_000))1]".utf8)
            let keyed = Data("[{\((0..<1_200).map { "\"k\($0)\":0" }.joined(separator: ","))}]".utf8)
            func read() throws {
                for _ in 0..<20 { _ = try StrictJSONDecoder().decode([WideRow].self, from: body) }
                #expect(throws: JSONFault.self) { try JSONIndex.read(faulty) { _ in } }
                #expect(try JSONIndex.read(whole) { $0 }.count == 20_001)
                #expect(try JSONIndex.read(keyed) { $0.count } == 1)
            }
            // A tape that is left behind takes 26 pages each time, what the plans of the keys have outgrown takes 9, the copy
            // of a body whose node is kept 10, the tree of the keys 18, and what that has outgrown 21.
            let left = try pagesLeft(by: read)
            #expect(left < 400)
        }
    }

    @Test("Values that were encoded or refused leave no memory behind")
    func releasedTrees() async {
        await #expect(processExitsWith: .success) {
            let row = (0..<100).map { "The text number \($0), which is so long that all of them take two pages" }
            func write() throws {
                for _ in 0..<10 { _ = try StrictJSONEncoder().encode(row) }
                #expect(throws: EncodingError.self) { try StrictJSONEncoder().encode([row.map(\.count): Double.nan]) }
            }
            // The bytes of a tree that are left behind take 20 pages each time.
            let left = try pagesLeft(by: write)
            #expect(left < 400)
        }
    }

    /// Asks for so many keys that the record of them grows.
    private struct WideRow: Decodable {
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Probe.Key.self)
            for number in 0..<70 { _ = try container.decode(Int.self, forKey: Probe.Key("k\(number)")) }
        }
    }
}

/// Returns the number of pages by which the process grows if it does the same thing 60 times, after it has warmed up.
private func pagesLeft(by body: () throws -> Void) rethrows -> Int {
    for _ in 0..<20 { try body() }
    let before = residentPages()
    for _ in 0..<60 { try body() }
    // AddressSanitizer keeps freed memory for a while.
    return dlsym(nil, "__asan_init") == nil ? residentPages() - before : 0
}

/// The pages of the process that are in memory.
private func residentPages() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}
#endif
