import Foundation
import Kivo
import KivoJournal
import KivoRealmCommands

extension Command {
    static let studio = Command(
        name: "studio", summary: "See a file in the browser, as it changes.",
        discussion: """
            Serves a page on this machine only, and prints its address, which works once. Shows the objects of
            each class and follows what any process commits, the commits of the file with the values before
            and after, and the schema. The file is only read, unless --writable is given. A .realm file is
            shown as it was at the start. Ctrl-C ends it.

              kivo studio pets.kivo
              kivo studio pets.kivo --writable --port 8080
            """,
        arguments: [Argument(name: "FILE", summary: "A realm file, or a .realm file.", isSubject: true)],
        options: [
            Option("--port", "NUMBER", "The port of the page; without it, one that belongs to the file."),
            Option("--writable", nil, "Allow the page to edit the file."),
        ]
    ) { arguments, output in
        #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
        let port = try arguments.count("--port").map { number in
            guard let port = UInt16(exactly: number) else {
                throw UsageError("'--port' takes a number up to 65535")
            }
            return port
        }
        let path = arguments.words[0]
        let shown = try ShownFile(path, output)
        defer { shown.remove() }
        if shown.isImported, arguments.has("--writable") {
            throw UsageError(
                "a .realm file is only looked at; 'kivo realm import' makes a file that can be edited")
        }
        let service = try StudioService(
            shown.path, name: path, port: port, isWritable: arguments.has("--writable")
        ) { address in
            output.write("\(address)\n")
            output.flush()
        }
        // The page says which part cannot be read, and shows the rest.
        for whenStopped in [PageDamage.whenReached, Realm.whenTrapping] {
            whenStopped { message in
                service.abandonWork(message)
                output.flush()
                output.complain(message)
                exit(ExitCode.problem.rawValue)
            }
        }
        let interrupted = DispatchSemaphore(value: 0)
        TemporaryFiles.whenInterrupted { interrupted.signal() }
        service.start()
        interrupted.wait()
        service.stop()
        return .success
        #else
        throw Problem("the page needs sockets of the system, which kivo uses on Linux and macOS only")
        #endif
    }
}

#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
/// The file that the page shows: the given one, or a temporary one with the objects of a `.realm` file.
private struct ShownFile {
    let path: String
    let isImported: Bool

    init(_ path: String, _ output: Output) throws {
        let file = try StoredFile(path)
        do {
            _ = try StoredFile.reporting(path) { try JournalReader.formatVersion(of: file.device) }
            (self.path, isImported) = (path, false)
            return
        } catch {
            guard path.hasSuffix(".realm") else { throw error }
        }
        let temporary = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-studio-\(UUID().uuidString).kivo").path
        TemporaryFiles.add(temporary) {}
        do {
            try RealmCommand.import(FileImport(to: temporary)).run(
                on: path,
                CommandOutput(
                    isJSON: true, write: { _ in },
                    progress: { output.progress("reading", Int($0 * 1000), of: 1000) },
                    isIncomplete: { _, _ in }))
        } catch {
            ShownFile.remove(temporary)
            throw error
        }
        (self.path, isImported) = (temporary, true)
    }

    func remove() { if isImported { ShownFile.remove(path) } }

    private static func remove(_ path: String) {
        TemporaryFiles.remove(path) {
            for path in [path, path + ".lock"] { try? FileManager.default.removeItem(atPath: path) }
        }
    }
}
#endif
