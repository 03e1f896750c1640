import Foundation
import LocalBackend
import Presentation

/// The command: it reads the arguments, runs what they ask for, and exits with a code for the result.
@main
struct DemoCommand {
    /// The exit codes; `usage` and `output` are those of sysexits.h.
    enum Code {
        static let success: Int32 = 0
        static let failure: Int32 = 1
        static let usage: Int32 = 64
        static let output: Int32 = 74
    }

    static func main() async {
        // A pipe that nobody reads is an error of the write: what is recorded can then be kept.
        signal(SIGPIPE, SIG_IGN)
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ words: [String]) async -> Int32 {
        let features = allFlows.map(\.feature)
        let arguments: Arguments
        do throws(ArgumentError) {
            arguments = try Arguments.parse(words, features: features)
        } catch {
            Console.complain("\(error)")
            return Code.usage
        }
        let console = Console.standardOutput()
        if arguments.command == .run || arguments.command == .serve, let problem = FileProblem(in: arguments) {
            Console.complain("\(problem)")
            return Code.failure
        }
        let flows = allFlows.filter { arguments.features.isEmpty || arguments.features.contains($0.feature.name) }
        let hasSucceeded: Bool
        switch arguments.command {
        case .showHelp:
            console.print(Help.text(features: features))
            hasSucceeded = true
        case .showVersion:
            console.print("demo \(Help.version)")
            hasSucceeded = true
        case .serve:
            hasSucceeded = await Serving(arguments: arguments, flows: flows, console: console).run()
        case .run where arguments.replay != nil && !arguments.isWeb:
            hasSucceeded = await ReplayRun(arguments: arguments, flows: allFlows, console: console).run()
        case .run where arguments.replay != nil:
            hasSucceeded = await WebRun(arguments: arguments, flows: allFlows, console: console).replay()
        case .run where arguments.isWeb:
            hasSucceeded = await WebRun(arguments: arguments, flows: flows, console: console).run()
        case .run where arguments.isInteractive:
            hasSucceeded = await InteractiveRun(arguments: arguments, flows: flows, console: console).run()
        case .run:
            hasSucceeded = await ScriptedRun(arguments: arguments, flows: flows, console: console).run()
        }
        return hasSucceeded ? Code.success : Code.failure
    }
}
