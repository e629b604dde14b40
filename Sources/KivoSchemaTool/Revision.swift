import Foundation
import KivoSourceModel

/// The sources of a package in a revision of its repository.
struct Revision {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let name: String
    /// A directory of the repository.
    let package: URL

    /// Returns the Swift files in some directories, with their contents.
    func sources(in directories: [String]) throws -> [SourceText] {
        let root = try git(["rev-parse", "--show-toplevel"]).trimmingCharacters(in: .newlines)
        let prefixes = try directories.map { try path(of: $0, in: root) }
        let list = try git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", name])
        let files = list.split(separator: "\0").map(String.init).filter { path in
            path.hasSuffix(".swift") && prefixes.contains { $0.isEmpty || path.hasPrefix($0 + "/") }
        }
        return try files.map { path in
            SourceText(path: "\(name):\(path)", try git(["show", "\(name):\(path)"]))
        }
    }

    /// Returns the path of a directory from the root of the repository.
    private func path(of directory: String, in root: String) throws -> String {
        func canonical(_ path: String) -> String {
            URL(fileURLWithPath: path).resolvingSymlinksInPath().standardized.path
        }
        let (root, directory) = (canonical(root), canonical(directory))
        if directory == root { return "" }
        guard directory.hasPrefix(root + "/") else {
            throw Failure(description: "'\(directory)' is not in the repository at '\(root)'")
        }
        return String(directory.dropFirst(root.count + 1))
    }

    private func git(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git", "-C", package.path] + arguments
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: complaint, as: UTF8.self).trimmingCharacters(
                in: .whitespacesAndNewlines)
            throw Failure(description: "git \(arguments.joined(separator: " ")): \(text)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
