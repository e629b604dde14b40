import Foundation
import Kivo

/// The server's data, which live on one serial queue: the realm is opened there, and every request is answered there.
///
/// `@unchecked Sendable`: what is not a constant is used on the queue only.
final class TodoStore: @unchecked Sendable {
    /// What a request gets: a status and lines of JSON.
    struct Reply: Sendable, Equatable {
        var status: Int
        var body: String
    }

    private let queue = DispatchQueue(label: "todos")
    private let realm: Realm
    private var token: NotificationToken?

    /// Opens the data.
    ///
    /// - Parameter onChange: is told on the queue how many things are open, first as it is and then after each change.
    init(_ configuration: Realm.Configuration, onChange: @escaping @Sendable (Int) -> Void) throws {
        let queue = queue
        realm = try queue.sync { try Realm(configuration: configuration, queue: queue) }
        token = queue.sync { [realm] in
            realm.objects(Todo.self).where { !$0.isDone }.observe(keyPaths: [\Todo.isDone]) { change in
                switch change {
                case .initial(let open), .update(let open, _, _, _): onChange(open.count)
                case .error: break
                }
            }
        }
    }

    /// Answers one request; may be called on any thread. Requests are carried out one after the other.
    func handle(_ method: String, _ path: String, body: String = "") -> Reply {
        queue.sync {
            do { return try reply(method, path.split(separator: "/"), Data(body.utf8)) } catch {
                return Reply(status: 400, body: "\(error)")
            }
        }
    }

    /// Returns when all that was committed before is told.
    func settle() { queue.sync { _ = realm.refresh() } }

    private func reply(_ method: String, _ path: [Substring], _ body: Data) throws -> Reply {
        let todos = realm.objects(Todo.self)
        guard path.first == "todos" else { return Reply(status: 404, body: "") }
        switch (method, path.dropFirst().first.flatMap { Int($0) }) {
        case ("GET", nil): return try json(todos.sorted(by: \.number).map { Todo(value: $0) })
        case ("GET", let number?):
            guard let todo = realm.object(ofType: Todo.self, forPrimaryKey: number) else { break }
            return try json(Todo(value: todo))
        case ("POST", nil):
            let todo = try JSONDecoder().decode(Todo.self, from: body)
            todo.number = (todos.max(of: \.number) ?? 0) + 1
            try realm.write { realm.add(todo) }
            return try json(Todo(value: todo), status: 201)
        case ("PATCH", let number?):
            guard let todo = realm.object(ofType: Todo.self, forPrimaryKey: number) else { break }
            try realm.write { todo.isDone.toggle() }
            return try json(Todo(value: todo))
        case ("DELETE", let number?):
            guard let todo = realm.object(ofType: Todo.self, forPrimaryKey: number) else { break }
            try realm.write { realm.delete(todo) }
            return Reply(status: 204, body: "")
        default: return Reply(status: 405, body: "")
        }
        return Reply(status: 404, body: "")
    }

    /// JSON of unmanaged copies: a managed object's values are in the realm, and are not encoded from there.
    private func json(_ value: some Encodable, status: Int = 200) throws -> Reply {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Reply(status: status, body: String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
