import Foundation
import KivoEngine

/// The password of a user of etcd: from the environment, from a file that it names, or from the terminal. It is never printed.
enum ToolCredentials {
    private static let variable = "KIVO_ETCD_PASSWORD"
    private static let fileVariable = "KIVO_ETCD_PASSWORD_FILE"
    /// The password that was typed, so that it is asked for once.
    private static let typed = Lock<String?>(nil)

    /// The advice for a missing password.
    static let ways =
        "Write 'etcd://USER@HOST:PORT/PREFIX', and put the password into \(variable), or into a file that "
        + "\(fileVariable) names; or type it at the terminal"

    /// Returns the password of a user.
    ///
    /// - Throws: ``UsageError`` if there is none.
    static func password(_ user: String) throws(UsageError) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let password = environment[variable] { return password }
        if let path = environment[fileVariable] {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw UsageError("the file of the password, '\(path)', cannot be read")
            }
            return String(text.prefix { !$0.isNewline })
        }
        let password = typed.withLock { typed in
            if typed == nil, isatty(0) != 0 { typed = readHidden("Password of '\(user)': ") }
            return typed
        }
        guard let password else { throw UsageError("'\(user)' has no password. \(ways)") }
        return password
    }

    /// Reads a line that the terminal does not show.
    private static func readHidden(_ prompt: String) -> String? {
        FileHandle.standardError.write(Data(prompt.utf8))
        #if os(Windows)
        return readLine()
        #else
        var usual = termios()
        guard tcgetattr(0, &usual) == 0 else { return nil }
        var hidden = usual
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(0, TCSAFLUSH, &usual)
            FileHandle.standardError.write(Data("\n".utf8))
        }
        return readLine()
        #endif
    }
}
