import ChildProcesses
import Feedback
import Foundation
import Testing

/// Processes of the demo that serve a feature at one port, from one database, and are killed at random and started again.
final class ServerProcesses: Sendable {
    private struct State: Sendable {
        var isStopped = false
        var running: [Int: ChildProcess] = [:]
        var starts = 0
        var kills = 0
    }

    let url: URL
    private let words: [String]
    private let port: ReservedPort
    private let state = Locked(State())
    private let threads = DispatchGroup()

    /// The number of times that a process was killed.
    var kills: Int { state.withLock { $0.kills } }
    /// The number of times that a process has begun to serve.
    var starts: Int { state.withLock { $0.starts } }

    init(of feature: String, database: String) throws {
        port = try ReservedPort()
        words = [
            "serve", feature, "--port", "\(port.number)", "--share-port", "--database", database,
        ]
        url = try #require(URL(string: "http://127.0.0.1:\(port.number)"))
    }

    /// Starts processes, each of which is killed a few times, at random moments that follow from the seed.
    func start(_ count: Int, killingEach kills: Int, seed: UInt64) {
        for number in 0..<count {
            threads.enter()
            Thread.detachNewThread { [self] in
                run(number, kills: kills, SeededNumbers(seed: seed + UInt64(number)))
                threads.leave()
            }
        }
    }

    /// Kills all processes, and waits for their end.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            for process in state.running.values { process.kill(SIGKILL) }
        }
        threads.wait()
    }

    private func run(_ number: Int, kills: Int, _ random: SeededNumbers) {
        var (kills, random) = (kills, random)
        while let process = begin(number) {
            var isServing = false
            while !isServing, let line = process.output.line() { isServing = line.contains("Serving on") }
            // It was started while PostgreSQL was not there, and has ended by itself.
            if !isServing { Thread.sleep(forTimeInterval: 0.05) }
            if isServing { state.withLock { $0.starts += 1 } }
            if isServing, kills > 0 {
                kills -= 1
                Thread.sleep(forTimeInterval: .random(in: 0.05...0.6, using: &random))
                state.withLock { $0.kills += 1 }
                process.kill(SIGKILL)
            }
            _ = process.output.rest()
            process.wait()
        }
    }

    private func begin(_ number: Int) -> ChildProcess? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            do {
                // While PostgreSQL is down, the process writes errors, which the test does not need.
                let process = try ChildProcess(Self.demo, words, errors: .null)
                state.running[number] = process
                return process
            } catch {
                Issue.record("\(error)")
                return nil
            }
        }
    }

    static let demo = builtProgram("demo")
}

/// A port that no other program is given, and at which servers that share it can listen.
private final class ReservedPort: Sendable {
    let number: UInt16
    private let descriptor: Int32

    init() throws {
        #if canImport(Darwin)
        let type = SOCK_STREAM
        #else
        let type = Int32(SOCK_STREAM.rawValue)
        #endif
        descriptor = socket(AF_INET, type, 0)
        var (yes, length) = (Int32(1), socklen_t(MemoryLayout<sockaddr_in>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw TestServer.CannotStart(description: "there is no free port: \(errno)") }
    }

    deinit { close(descriptor) }
}
