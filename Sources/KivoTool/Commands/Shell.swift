import Foundation

extension Command {
    static let shell = Command(
        name: "shell", summary: "Enter commands about a file, one on a line.",
        discussion: """
            A line is a command of this tool without 'kivo' and without FILE, as in 'dump --class Dog --limit 3',
            or a class and a predicate, as in 'Dog age > 5'. '.help' names the other forms. The file is read anew
            for each line. Commands that can change it are refused, unless --writable is given; 'set' and
            'delete' take their --write even then.

            On a terminal, lines are edited and completed (Tab), and kept in ~/.kivo_history; one that begins
            with a space is not. Ctrl-C gives up a line, or ends what it does. A predicate that does not fit its
            class, or a damaged page, ends the shell with the message. Where standard input is no terminal, all
            its lines are run up to the first one that fails, which is exit code 1.

              kivo shell pets.kivo
              echo "Dog age > 5" | kivo shell pets.kivo
            """,
        arguments: [.file],
        options: [Option("--writable", nil, "Allow commands that change the file."), .json, .text]
    ) { arguments, output in
        let shell = Shell(path: arguments.words[0], isWritable: arguments.has("--writable"))
        // A file that cannot be read is a problem at once.
        _ = try StoredFile.read(shell.path)
        #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
        if ShellTerminal.isAvailable {
            output.write("'\(shell.path)': '.help' names what can be entered\n")
            output.flush()
            let terminal = ShellTerminal(
                prompt: "kivo> ", history: ShellHistory(path: ShellHistory.userPath),
                completion: { ShellCompletion(shell) })
            return shell.run({ terminal.next() }, output, stopsAtFailure: false)
        }
        #endif
        let isTerminal = isatty(0) != 0
        return shell.run(
            {
                if isTerminal { try? FileHandle.standardError.write(contentsOf: Data("kivo> ".utf8)) }
                return readLine()
            }, output, stopsAtFailure: !isTerminal)
    }
}

extension Shell {
    /// Runs lines until there are none.
    ///
    /// - Parameter stopsAtFailure: Whether a line that fails is the last one.
    func run(_ nextLine: () -> String?, _ output: Output, stopsAtFailure: Bool) -> ExitCode {
        while let line = nextLine() {
            // Each line has its own format and end.
            let own = output.successor()
            TemporaryFiles.whenInterrupted { own.stop() }
            let effect = run(line, own)
            own.flush()
            TemporaryFiles.whenInterrupted(nil)
            guard case .done(let code) = effect else { return .success }
            // The terminal shows '^C'.
            if own.isStopped, !output.isJSON { output.write("\n") }
            output.flush()
            if let end = own.end, !own.isStopped {
                // The reader of a pipe has read enough; other ends were reported.
                if case .closed = end { return .success }
                return .problem
            }
            if stopsAtFailure, code != .success { return .problem }
        }
        return .success
    }
}

extension ShellCompletion {
    /// Creates the completion of a shell's lines; nil if the file cannot be read.
    init?(_ shell: Shell) {
        guard let file = try? StoredFile.read(shell.path) else { return nil }
        self.init(commands: shell.commands, classes: file.classes, catalog: file.history.catalog)
    }
}
