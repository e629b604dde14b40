import Foundation
import Kivo
import Synchronization

/// Work on a separate thread, with its own realm.
enum Elsewhere {
    /// Opens the realm on a new thread and makes each group of edits in a separate transaction. Returns when the thread has
    /// released the realm.
    static func commit(_ transactions: [[Edit]], to configuration: Realm.Configuration) throws {
        let outcome = Outcome()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            outcome.take {
                let realm = try Realm(configuration: configuration)
                for edits in transactions {
                    try realm.write {
                        for edit in edits { try edit.make(in: realm) }
                    }
                }
            }
            done.signal()
        }
        thread.start()
        done.wait()
        try outcome.get()
    }

    /// The result of a thread's work, which another thread reads.
    private final class Outcome: Sendable {
        private let result = Mutex<Result<Void, any Error>>(.success(()))

        func take(_ work: () throws -> Void) {
            let outcome = Result(catching: work)
            result.withLock { $0 = outcome }
        }

        func get() throws {
            try result.withLock { $0 }.get()
        }
    }
}
