import Foundation
import Kivo
import KivoJournal
import KivoRealmCommands

extension Command {
    static let studio = Command(
        name: "studio", summary: "See files in the browser, as they change.",
        discussion: """
            Serves a page on this machine only, and prints its address, which works once. Shows the objects of
            each class and follows what any process commits, the commits of the file with the values before
            and after, and the schema. The file is only read, unless --writable is given. A .realm file is
            shown as it was at the start. Of several files, each has a page; their menus lead to the others.
            Ctrl-C ends it.

              kivo studio pets.kivo
              kivo studio pets.kivo --writable --port 8080
              kivo studio pets.kivo shop.kivo
            """,
        arguments: [
            Argument(
                name: "FILE", summary: "A realm file, or a .realm file.", isRepeated: true, isSubject: true)
        ],
        options: [
            Option("--port", "NUMBER", "The port of the page; without it, one that belongs to the file."),
            Option("--writable", nil, "Allow the page to edit the file."),
        ]
    ) { arguments, output in
        #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
        let files = StudioFiles()
        var (shown, code) = ([ShownFile](), ExitCode.success)
        defer { for file in shown { file.remove() } }
        let port = try port(arguments)
        for path in arguments.words {
            do {
                let file = try ShownFile(path, output)
                shown.append(file)
                try begin(file, path, port, arguments, output, in: files)
            } catch let error where arguments.words.count > 1 && !(error is UsageError) {
                // The others are shown.
                code = Tool.reporting("studio", output) { throw error }
            }
        }
        let services = files.all
        if services.isEmpty { return code }
        // The page says which part cannot be read, and shows the rest.
        for whenStopped in [PageDamage.whenReached, Realm.whenTrapping] {
            whenStopped { message in
                for service in services { service.abandonWork(message) }
                output.flush()
                output.complain(message)
                exit(ExitCode.problem.rawValue)
            }
        }
        let interrupted = DispatchSemaphore(value: 0)
        TemporaryFiles.whenInterrupted { interrupted.signal() }
        for service in services { service.start() }
        interrupted.wait()
        for service in services { service.stop() }
        return code
        #else
        throw Problem("the page needs sockets of the system, which kivo uses on Linux and macOS only")
        #endif
    }

    #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
    private static func port(_ arguments: ParsedArguments) throws(UsageError) -> UInt16? {
        var paths: Set<String> = []
        for path in arguments.words
        where !paths.insert(URL(fileURLWithPath: path).standardizedFileURL.path).inserted {
            throw UsageError("'\(path)' is given twice")
        }
        guard let number = try arguments.count("--port") else { return nil }
        guard let port = UInt16(exactly: number) else {
            throw UsageError("'--port' takes a number up to 65535")
        }
        if paths.count > 1 { throw UsageError("'--port' is for one file; of several, each has its own") }
        return port
    }

    /// Listens for the page of a file.
    private static func begin(
        _ file: ShownFile, _ path: String, _ port: UInt16?, _ arguments: ParsedArguments, _ output: Output,
        in files: StudioFiles
    ) throws {
        let isWritable = arguments.has("--writable")
        if file.isImported, isWritable {
            throw UsageError(
                "a .realm file is only looked at; 'kivo realm import' makes a file that can be edited")
        }
        let note = arguments.words.count > 1 ? "  \(path)" : ""
        _ = try StudioService(file.path, name: path, in: files, port: port, isWritable: isWritable) {
            address in
            output.write("\(address)\(note)\n")
            output.flush()
        }
    }
    #endif
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
