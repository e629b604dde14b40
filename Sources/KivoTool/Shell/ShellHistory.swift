import Foundation

/// The lines that were entered before, the oldest first, and the file that keeps them.
struct ShellHistory {
    /// The greatest number of lines.
    static let limit = 1000

    private(set) var lines: [String] = []
    /// The path of the file, or nil if lines are not kept.
    private let path: String?

    /// Reads the lines of a file. A file that cannot be read has none.
    init(path: String?) {
        self.path = path
        if let path { lines = ShellHistory.read(path) }
    }

    /// The path of the user's history, or nil if the user has no home.
    static var userPath: String? {
        let home = ProcessInfo.processInfo.environment["HOME"]
        return home.flatMap { $0.isEmpty ? nil : $0 + "/.kivo_history" }
    }

    /// Adds a line, unless it is the last one again or begins with a space, which keeps it out as in other shells. The file has the
    /// lines of all shells.
    mutating func add(_ line: String) {
        guard !line.isEmpty, line.first != " ", line != lines.last else { return }
        lines = (lines + [line]).suffix(ShellHistory.limit)
        guard let path else { return }
        let kept = ShellHistory.read(path)
        if kept.count < ShellHistory.limit {
            ShellHistory.write(line + "\n", to: path, replacing: false)
        } else {
            let lines = kept.dropFirst() + [line]
            ShellHistory.write(lines.map { $0 + "\n" }.joined(), to: path, replacing: true)
        }
    }

    private static func read(_ path: String) -> [String] {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return [] }
        let text = String(decoding: data, as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline).filter {
            !$0.unicodeScalars.contains(where: ControlCharacters.contains)
        }
        return lines.suffix(limit).map(String.init)
    }

    /// Writes the file, which only its owner can read: lines can contain values of a file. Errors are ignored, because
    /// the shell works without a history.
    private static func write(_ text: String, to path: String, replacing: Bool) {
        #if !os(Windows)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { return }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        // Only a regular file of this user may be truncated.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid(),
            fchmod(descriptor, 0o600) == 0
        else { return }
        if replacing { try? file.truncate(atOffset: 0) } else { _ = try? file.seekToEnd() }
        try? file.write(contentsOf: Data(text.utf8))
        #endif
    }
}
