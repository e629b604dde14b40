import Dispatch
import Kivo

/// A writer of the same data on a queue of its own.
struct OtherWriter {
    private let queue = DispatchQueue(label: "other writer")
    private let configuration: Realm.Configuration

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func commit(_ edits: [FuzzEdit]) throws {
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            try realm.write { for edit in edits { edit.make(in: realm) } }
        }
    }
}
