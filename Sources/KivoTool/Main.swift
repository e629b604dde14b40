import Foundation
import Kivo
import KivoJournal

@main
struct Main {
    static func main() {
        let output = Output.standard()
        #if !os(Windows)
        TemporaryFiles.removeBeforeSignals { message in
            try? FileHandle.standardError.write(contentsOf: Data("kivo: \(message)\n".utf8))
        }
        #endif
        // Traps that reveal incorrect calls in other programs are caused by invalid arguments in this one.
        Realm.whenTrapping { message in
            output.flush()
            output.complain(message)
            exit(ExitCode.usage.rawValue)
        }
        // A damaged page is a problem of the file, not of the tool.
        PageDamage.whenReached { message in
            output.flush()
            output.complain(message)
            exit(ExitCode.problem.rawValue)
        }
        exit(Tool.run(Array(CommandLine.arguments.dropFirst()), output).rawValue)
    }
}
