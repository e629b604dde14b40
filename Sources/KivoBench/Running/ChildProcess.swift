import Foundation

/// A program, by default this one started once more: what it does there shares no memory with what was done here before.
struct ChildProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    var executable = Bundle.main.executableURL
    let arguments: [String]

    /// Hands over what the child writes on its standard output, line by line as it comes. Throws if the child fails.
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
