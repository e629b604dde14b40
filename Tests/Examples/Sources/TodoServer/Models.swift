import Foundation
import Kivo

/// Something to do.
final class Todo: Object, Codable {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var title = ""
    @Persisted(indexed: true) var isDone = false
}

/// The body of a request that adds something to do.
struct NewTodo: Decodable {
    var title: String
}

/// The body of a request that changes something to do. Values that are left out stay.
struct TodoChange: Decodable {
    var title: String?
    var isDone: Bool?
}
