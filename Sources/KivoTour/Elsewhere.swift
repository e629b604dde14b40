import Foundation
import Kivo
import Synchronization

/// Work on a thread of its own, with a realm of its own.
enum Elsewhere {
    /// Opens the realm on a new thread, makes each group of edits in a transaction of its own, and returns when
    /// the thread is done with it.
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

    /// Brings an error from one thread to another.
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
