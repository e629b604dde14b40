import Foundation

/// Writes a line for the operator. Standard output is for what the program says of itself.
func report(_ line: String) { FileHandle.standardError.write(Data("todo: \(line)\n".utf8)) }

/// Writes a line to standard output, at once also where that is a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Accepts connections, and has the requests of each answered by one of the workers.
struct Server: Sendable {
    let socket: Socket
    let workers: [TodoWorker]
    let backups: BackupWorker

    /// Runs until the task is cancelled. Then no connections are accepted, those that wait for a request end, and requests that
    /// have arrived are answered before this returns.
    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            var count = 0
            while let connection = try await socket.accept() {
                let worker = workers[count % workers.count]
                count += 1
                group.addTask { await serve(connection, worker) }
            }
        }
    }

    private func serve(_ connection: Socket, _ worker: TodoWorker) async {
        var reader = RequestReader()
        do {
            while true {
                guard let request = try reader.next() else {
                    let bytes = try await connection.read()
                    if bytes.isEmpty { return }
                    reader.append(bytes)
                    continue
                }
                // A task of its own is not cancelled with this one: what has begun is finished.
                let closes = try await Task {
                    let reply = await reply(to: request, worker)
                    let closes = request.closes || Task.isCancelled
                    try await connection.write(reply.bytes(closing: closes))
                    return closes
                }.value
                if closes || Task.isCancelled { return }
            }
        } catch let malformed as RequestReader.Malformed {
            try? await connection.write(malformed.reply.bytes(closing: true))
        } catch {
            report("a connection broke off: \(error)")
        }
    }

    private func reply(to request: Request, _ worker: TodoWorker) async -> Reply {
        guard request.path == "/backups" else { return await worker.reply(to: request) }
        guard request.method == "POST" else { return Reply(405, "the path does not take \(request.method)") }
        do {
            return Reply(201, try await backups.backUp())
        } catch {
            report("no backup: \(error)")
            return Reply(503, "there is no backup")
        }
    }
}
