import Foundation
import Kivo

/// A client that asks for everything and prints the answers, and what is in the backup in the end.
struct Check: Sendable {
    let port: UInt16

    func run() async throws {
        let client = try Client(port)
        try await client.show("POST", "/todos", #"{"title": "Water the plants"}"#)
        try await client.show("POST", "/todos", #"{"title": "Call Ann"}"#)
        try await client.show("PATCH", "/todos/1", #"{"isDone": true}"#)
        try await client.show("GET", "/todos")
        try await client.show("DELETE", "/todos/2")
        try await client.show("GET", "/todos/9")
        try await client.show("POST", "/todos", "no JSON")
        try await client.show("PUT", "/todos/1")
        try await client.show("POST", "/backups")

        // Connections have different workers; all of them number what they add without a gap.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let client = try Client(port)
                    for part in 0..<5 {
                        let body = #"{"title": "Errand \#(number).\#(part)"}"#
                        let (status, _) = try await client.request("POST", "/todos", body)
                        if status != 201 { throw Client.Failure(description: "status \(status)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (_, all) = try await client.request("GET", "/todos")
        let todos = try JSONDecoder().decode([Todo].self, from: Data(all.utf8))
        say("\(todos.count) in all, the last has number \(todos.last?.number ?? 0)")
        Signals.terminate()
    }

    /// Prints what a backup contains, which was made while the server wrote.
    static func lookIntoBackup(_ folder: URL) throws {
        let backup = Realm.Configuration(
            fileURL: folder.appendingPathComponent("backup-1.kivo"), readOnly: true, objectTypes: [Todo.self])
        let realm = try Realm(configuration: backup)
        say("backup: \(realm.objects(Todo.self).map(\.title).joined(separator: ", "))")
    }
}

/// A connection of the client. Its requests follow each other.
actor Client {
    struct Failure: Error {
        let description: String
    }

    private let socket: Socket

    init(_ port: UInt16) throws { socket = try .connected(to: port) }

    /// Sends a request, and prints it with its reply.
    func show(_ method: String, _ path: String, _ body: String = "") async throws {
        let (status, reply) = try await request(method, path, body)
        say("\(method) \(path) \(status) \(reply.isEmpty ? "-" : reply)")
    }

    /// Sends a request, and returns its reply.
    func request(_ method: String, _ path: String, _ body: String = "") async throws -> (Int, String) {
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        try await socket.write(Data((head + body).utf8))
        var reply = Data()
        while true {
            let bytes = try await socket.read()
            if bytes.isEmpty { throw Failure(description: "the connection ended") }
            reply += bytes
            let text = String(decoding: reply, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n"), let status = Int(text.split(separator: " ")[1]) else {
                continue
            }
            let field = text.range(of: "Content-Length: ")
            let length = field.flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) } ?? 0
            let body = text[end.upperBound...]
            if body.utf8.count >= length { return (status, String(body)) }
        }
    }
}
