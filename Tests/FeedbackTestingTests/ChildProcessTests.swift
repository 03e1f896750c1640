import ChildProcesses
import FeedbackTesting
import Foundation
import Testing

@Suite("A program that a test starts", .onOwnThread)
struct ChildProcessTests {
    private let shell = "/bin/sh"

    @Test("It gets its arguments, variables, folder and input, and its output and errors are read apart")
    func streams() throws {
        let script = "read line; echo \"$1 $GREETING $line\"; pwd -P; echo wrong >&2; printf rest; exit 7"
        let process = try ChildProcess(
            shell, ["-c", script, "sh", "first"], environment: ["GREETING": "hello"], folder: "/", input: .pipe,
            errors: .pipe)
        try process.input.write("line\n")
        #expect(process.output.line() == "first hello line")
        #expect(process.output.line() == "/")
        #expect(process.output.line() == nil)
        #expect(process.output.rest() == Data("rest".utf8))
        #expect(process.errors.line() == "wrong")
        #expect(process.wait() == .exit(7))
        #expect(!process.isRunning)
    }

    @Test("Its input ends when it is closed, and has nothing if it is not a pipe")
    func inputs() async throws {
        let process = try ChildProcess("/bin/cat", input: .pipe)
        try process.input.write("a\nb")
        process.input.close()
        #expect(process.output.more() == Data("a\nb".utf8))
        #expect(process.output.more().isEmpty)
        #expect(await process.end() == .exit(0))
        let other = try ChildProcess("/bin/cat")
        #expect(await other.output.nextLine() == nil)
        #expect(await other.end() == .exit(0))
    }

    @Test("Writing to a program that no longer reads is an error, and does not end the tests")
    func unread() async throws {
        let process = try ChildProcess("/bin/sh", ["-c", "exit"], input: .pipe)
        process.wait()
        // A program that another test starts has the files of this process for a moment, also the end that is read.
        await eventually("an error is thrown") {
            do {
                try process.input.write("text")
                return false
            } catch { return error is POSIXError }
        }
    }

    @Test("A program that is not there is an error that names it")
    func missing() throws {
        let error = #expect(throws: ChildProcess.CannotStart.self) { try ChildProcess("/nowhere/program") }
        #expect(error?.description == "The program /nowhere/program cannot be started: No such file or directory.")
    }

    @Test("A signal ends it, also if this thread blocks that signal and this process ignores it")
    func signals() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        let handler = signal(SIGUSR1, SIG_IGN)
        defer {
            _ = signal(SIGUSR1, handler)
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        let process = try ChildProcess("/bin/cat", input: .pipe)
        process.kill(SIGUSR1)
        #expect(process.wait() == .signal(SIGUSR1))
        // There is nothing left to be sent to.
        process.kill(SIGKILL)
        #expect(process.wait() == .signal(SIGUSR1))
    }

    @Test("It holds no file open that this process has open")
    func descriptors() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        // Its three streams, and the folder that it lists.
        let process = try ChildProcess("/bin/sh", ["-c", "ls /dev/fd | wc -l"])
        #expect(process.output.line()?.trimmingCharacters(in: .whitespaces) == "4")
    }

    @Test("It is killed when nothing refers to it any more")
    func dropped() async throws {
        let identifier = try ChildProcess("/bin/cat", input: .pipe).identifier
        await eventually("it has ended") { kill(identifier, 0) == -1 && errno == ESRCH }
    }

    @Test("Nothing of a program that has ended stays open")
    func leaks() async {
        await #expect(processExitsWith: .success) {
            func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count }
            _ = try ChildProcess("/bin/cat").wait()
            let before = try count()
            for number in 0..<50 {
                let process = try ChildProcess("/bin/sh", ["-c", "cat; echo \(number)"], input: .pipe, errors: .pipe)
                process.input.close()
                #expect(process.output.line() == "\(number)")
                #expect(process.wait() == .exit(0))
            }
            #expect(try count() == before)
        }
    }
}
