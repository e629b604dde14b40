import Foundation

/// A child process that runs a program, by default this one. It shares no memory with earlier work in this process.
struct ChildProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    var executable = Bundle.main.executableURL
    let arguments: [String]

    /// Calls the closure with each line that the child writes to its standard output, as soon as it is written. Throws if the
    /// child fails.
    func run(_ line: (String) throws -> Void) throws {
        guard let executable else {
            throw Failure(description: "the program does not know where it is")
        }
        let child = Process()
        let output = Pipe()
        child.executableURL = executable
        child.arguments = arguments
        child.standardOutput = output
        try child.run()
        var rest = Data()
        while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                try line(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[(end + 1)...])
            }
        }
        child.waitUntilExit()
        switch child.terminationReason {
        case .uncaughtSignal: throw Failure(description: "was ended by signal \(child.terminationStatus)")
        case .exit where child.terminationStatus == 0: break
        default: throw Failure(description: "ended with status \(child.terminationStatus)")
        }
    }
}
