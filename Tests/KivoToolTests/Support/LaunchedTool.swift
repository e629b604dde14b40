#if !os(Windows)
import Foundation
import XCTest

@testable import KivoTool

/// The program that runs the tests' commands instead of this process.
enum LaunchedTool {
    static let program = ProcessInfo.processInfo.environment["KIVO_TOOL"].map {
        URL(fileURLWithPath: $0).standardizedFileURL
    }

    /// Runs a command. Its output is a terminal, unless it is to be JSON.
    static func run(_ words: [String], isJSON: Bool, in folder: URL) -> ToolTestCase.Answer {
        let errors = folder.appendingPathComponent("errors of " + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: errors) }
        do {
            try Data().write(to: errors)
            let process = Process()
            process.executableURL = program
            process.arguments = words
            process.standardError = try FileHandle(forWritingTo: errors)
            let reading: FileHandle
            if isJSON {
                let pipe = Pipe()
                process.standardOutput = pipe
                try process.run()
                reading = pipe.fileHandleForReading
            } else {
                let terminal = try Terminal()
                process.standardOutput = terminal.output
                try process.run()
                try terminal.output.close()
                reading = terminal.reading
            }
            let output = Terminal.allBytes(from: reading)
            process.waitUntilExit()
            XCTAssertEqual(process.terminationReason, .exit, "\(words) ended by a signal")
            let code = ExitCode(rawValue: process.terminationStatus)
            return ToolTestCase.Answer(
                code: try XCTUnwrap(code, "\(words) ended with \(process.terminationStatus)"),
                output: String(decoding: output, as: UTF8.self),
                errors: try String(contentsOf: errors, encoding: .utf8))
        } catch {
            XCTFail("\(words) did not run: \(error)")
            return ToolTestCase.Answer(code: .problem, output: "", errors: "\(error)")
        }
    }
}

/// A pseudoterminal that passes on bytes as they are.
struct Terminal {
    let reading: FileHandle
    let output: FileHandle

    init() throws {
        let (master, name) = try Terminal.open()
        let slave = Terminal.descriptor(of: name)
        guard slave >= 0 else { throw POSIXError(.ENOTTY) }
        var attributes = termios()
        tcgetattr(slave, &attributes)
        cfmakeraw(&attributes)
        tcsetattr(slave, TCSANOW, &attributes)
        reading = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        output = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    }

    /// Opens a new pseudoterminal.
    ///
    /// - Returns: The descriptor from which its output is read, and the path of the terminal.
    private static func open() throws -> (master: Int32, name: String) {
        #if os(Linux)
        // Does the work of `posix_openpt` and its companions, which Glibc's module map leaves out.
        let (unlock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
        let master = Terminal.descriptor(of: "/dev/ptmx")
        var (isLocked, number): (CInt, CUnsignedInt) = (0, 0)
        guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, getNumber, &number) == 0
        else {
            throw POSIXError(.ENOTTY)
        }
        return (master, "/dev/pts/\(number)")
        #else
        let master = posix_openpt(O_RDWR | O_NOCTTY)
        guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
            throw POSIXError(.ENOTTY)
        }
        return (master, String(cString: name))
        #endif
    }

    private static func descriptor(of name: String) -> Int32 {
        Foundation.open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    }

    /// Reads until the other end is closed, which is an error of reading where it is a terminal.
    static func allBytes(from handle: FileHandle) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(handle.fileDescriptor, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 || errno != EINTR {
                return bytes
            }
        }
    }
}
#endif
