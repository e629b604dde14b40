import Dispatch
import Kivo

/// The connection that commits a scenario's transactions: on its own queue, never the observing one.
///
/// The realm is opened and closed on the queue for each call; the observing connection keeps the data alive between.
struct SecondConnection: Sendable {
    private let queue = DispatchQueue(label: "conformance.second-connection")
    let configuration: Realm.Configuration
    let models: ModelSet

    /// Commits a start state.
    func build(_ initial: [String: [[String: JSONValue]]]) throws {
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            try realm.write { try models.build(initial, in: realm) }
        }
    }

    /// Commits write transactions in order.
    func commit(_ transactions: [[Operation]]) throws {
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            for operations in transactions {
                try realm.write {
                    for operation in operations { try models.perform(operation, in: realm) }
                }
            }
        }
    }
}
