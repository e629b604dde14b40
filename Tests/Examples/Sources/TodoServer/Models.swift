import Foundation
import Kivo

/// Something to do.
final class Todo: Object, Codable {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var title = ""
    @Persisted(indexed: true) var isDone = false
}
