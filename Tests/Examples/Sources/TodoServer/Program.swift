import Foundation
import Kivo

// A to-do server: HTTP over the toolchain's sockets, workers with a realm each, backups of the live file, and an orderly end.
//
//     TodoServer FOLDER [PORT]    serves the data in a folder until SIGTERM or SIGINT
//     TodoServer --check          serves a folder of its own, asks itself everything, and ends itself by SIGTERM

@main
struct Program {
    static func main() async throws {
        // Before anything is open, so that no signal ends the program in the middle.
        let signals = Signals()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--check"] {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await serve(folder, 0, signals, isChecked: true)
        } else if let folder = arguments.first, arguments.count <= 2,
            let port = UInt16(arguments.dropFirst().first ?? "8080")
        {
            try await serve(URL(fileURLWithPath: folder), port, signals, isChecked: false)
        } else {
            report("usage: TodoServer FOLDER [PORT]")
            exit(64)
        }
    }

    static func serve(_ folder: URL, _ port: UInt16, _ signals: Signals, isChecked: Bool) async throws {
        Logger.shared = Logger(level: .info) { level, message in report("\(level): \(message)") }
        let configuration = Realm.Configuration(
            fileURL: folder.appendingPathComponent("todos.kivo"), objectTypes: [Todo.self])
        let workers = (0..<4).map { _ in TodoWorker(configuration) }
        let server = Server(
            socket: try .listening(on: port), workers: workers, backups: BackupWorker(configuration, folder))
        let running = Task { try await server.run() }
        let port = server.socket.port
        if isChecked {
            Task {
                do { try await Check(port: port).run() } catch {
                    report("the check broke off: \(error)")
                    exit(1)
                }
            }
        } else {
            say("http://127.0.0.1:\(port)/todos")
        }

        await signals.first()
        say("stopping")
        running.cancel()
        try await running.value
        for worker in workers { await worker.close() }
        // Throws an error that says where the file is still open, if it was not released.
        try Realm.waitUntilClosed(for: configuration)
        say("closed")
        if isChecked { try Check.lookIntoBackup(folder) }
    }
}
