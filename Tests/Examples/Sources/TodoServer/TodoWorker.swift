import Foundation
import Kivo

/// Answers requests with a realm of its own. A server has several, so that a request waits for none but those of its worker, and
/// writers for each other.
actor TodoWorker {
    private let configuration: Realm.Configuration
    private var opened: Realm?

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    /// Releases the realm. The file is closed when the last worker has done so.
    func close() { opened = nil }

    /// Answers a request. Failures are answers, too.
    func reply(to request: Request) async -> Reply {
        do {
            return try await answer(request)
        } catch is DecodingError {
            return Reply(400, "the body is not what this path takes")
        } catch let error as Realm.Error {
            report("\(request.method) \(request.path): \(error.message)")
            return Reply(503, "the data cannot be used")
        } catch {
            report("\(request.method) \(request.path): \(error)")
            return Reply(500, "the request failed")
        }
    }

    private func realm() async throws -> Realm {
        if let opened { return opened }
        let realm = try await Realm.open(configuration: configuration)
        opened = realm
        return realm
    }

    private func answer(_ request: Request) async throws -> Reply {
        let path = request.path.split(separator: "/")
        switch (request.method, path.first, path.dropFirst().first.map { Int($0) }, path.count) {
        case ("GET", "todos", nil, 1): return try await all()
        case ("POST", "todos", nil, 1): return try await add(request.body)
        case ("GET", "todos", let number??, 2): return try await one(number)
        case ("PATCH", "todos", let number??, 2): return try await change(number, request.body)
        case ("DELETE", "todos", let number??, 2): return try await delete(number)
        case (_, "todos", _, ...2): return Reply(405, "the path does not take \(request.method)")
        default: return Reply(404, "there is nothing here")
        }
    }

    private func all() async throws -> Reply {
        let realm = try await realm()
        // Make the commits of other workers visible.
        realm.refresh()
        return try Reply(200, json: realm.objects(Todo.self).sorted(by: \.number).map { Todo(value: $0) })
    }

    private func one(_ number: Int) async throws -> Reply {
        let realm = try await realm()
        realm.refresh()
        guard let todo = realm.object(ofType: Todo.self, forPrimaryKey: number) else { return .notFound }
        return try Reply(200, json: Todo(value: todo))
    }

    private func add(_ body: Data) async throws -> Reply {
        let new = try JSONDecoder().decode(NewTodo.self, from: body)
        let realm = try await realm()
        let todo = try await realm.asyncWrite {
            // The number is taken inside of the write: there is one writer at a time.
            let number = (realm.objects(Todo.self).max(of: \.number) ?? 0) + 1
            return Todo(value: realm.create(Todo.self, value: ["number": number, "title": new.title]))
        }
        return try Reply(201, json: todo)
    }

    private func change(_ number: Int, _ body: Data) async throws -> Reply {
        let change = try JSONDecoder().decode(TodoChange.self, from: body)
        let realm = try await realm()
        let todo: Todo? = try await realm.asyncWrite {
            guard let todo = realm.object(ofType: Todo.self, forPrimaryKey: number) else { return nil }
            if let title = change.title { todo.title = title }
            if let isDone = change.isDone { todo.isDone = isDone }
            return Todo(value: todo)
        }
        return try todo.map { try Reply(200, json: $0) } ?? .notFound
    }

    private func delete(_ number: Int) async throws -> Reply {
        let realm = try await realm()
        let wasThere = try await realm.asyncWrite {
            guard let todo = realm.object(ofType: Todo.self, forPrimaryKey: number) else { return false }
            realm.delete(todo)
            return true
        }
        return wasThere ? Reply(204) : .notFound
    }
}

extension Reply {
    static var notFound: Reply { Reply(404, "there is no such thing to do") }

    /// A reply with JSON. Managed objects are not encoded from where they are stored: copy them before.
    init(_ status: Int, json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        self.init(status: status, type: "application/json", body: try encoder.encode(value))
    }
}
