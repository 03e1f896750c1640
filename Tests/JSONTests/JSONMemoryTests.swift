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
            func read() throws {
                for _ in 0..<20 { _ = try StrictJSONDecoder().decode([WideRow].self, from: body) }
                #expect(throws: JSONFault.self) { try JSONIndex.read(faulty) { _ in } }
            }
            for _ in 0..<20 { try read() }
            let before = residentPages()
            for _ in 0..<60 { try read() }
            // A tape that is left behind takes 26 pages each time, and what the plans of the keys have outgrown takes 9.
            // AddressSanitizer keeps freed memory for a while.
            if dlsym(nil, "__asan_init") == nil { #expect(residentPages() - before < 400) }
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

/// The pages of the process that are in memory.
private func residentPages() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}
#endif
