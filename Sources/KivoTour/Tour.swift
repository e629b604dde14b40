import Foundation
import Kivo
import Synchronization

/// The shared state of the scenes: the realm of the main thread, the same data as plain values, and the attached listeners.
final class Tour {
    let realm: Realm
    let configuration: Realm.Configuration
    /// The expected contents of the realm.
    private(set) var atlas: Atlas
    /// The current activity of the main thread, for listeners that record when they were called.
    private(set) var moment = "no call"
    private var endings: [() -> Void] = []
    /// The transcript of the current scene.
    private var transcript = Transcript()

    /// - Parameter atlas: The data that the first scene loads.
    init(configuration: Realm.Configuration, atlas: Atlas) throws {
        self.configuration = configuration
        self.atlas = atlas
        realm = try Realm(configuration: configuration)
    }

    /// Returns the transcript of the next scene.
    func beginTranscript() -> Transcript {
        transcript = Transcript()
        return transcript
    }

    func keep(_ token: NotificationToken) {
        endings.append { token.invalidate() }
    }

    func keep(_ observation: KeyValueObservation) {
        endings.append { observation.invalidate() }
    }

    func atEnd(_ ending: @escaping () -> Void) {
        endings.append(ending)
    }

    /// Detaches every listener that the last scene attached.
    func stopListening() {
        for ending in endings { ending() }
        endings = []
    }

    /// Commits edits on the main thread. Change listeners are notified at the next `refresh()`.
    func write(_ edits: [Edit], withoutNotifying tokens: [NotificationToken] = []) throws {
        let after = try atlas.after(edits)
        transcript.step(
            Edit.code(of: edits, "realm.write\(tokens.isEmpty ? "" : "(withoutNotifying: [token])")"))
        try during("the write") {
            try realm.write(withoutNotifying: tokens) {
                for edit in edits { try edit.make(in: realm) }
            }
        }
        atlas = after
    }

    /// Commits edits on another thread, each group in a separate transaction. The main thread's realm does not see them until it
    /// is refreshed.
    func writeElsewhere(_ transactions: [Edit]...) throws {
        try writeElsewhere(transactions)
    }

    func writeElsewhere(_ transactions: [[Edit]]) throws {
        let after = try atlas.after(transactions.flatMap { $0 })
        for (number, edits) in transactions.enumerated() {
            // Shows only the first and the last of many similar transactions.
            if number > 0, number < transactions.count - 1 {
                if number == 1 { transcript.step("    … and \(transactions.count - 2) more") }
                continue
            }
            transcript.step(Edit.code(of: edits, "elsewhere.write"))
        }
        try Elsewhere.commit(transactions, to: configuration)
        atlas = after
    }

    /// Records an edit that the scene has made by other means.
    func note(_ edit: Edit) throws {
        atlas = try atlas.after([edit])
    }

    func refresh() {
        transcript.step("realm.refresh()")
        during("refresh()") { _ = realm.refresh() }
    }

    /// Runs the main thread's run loop until `listener` has received `count` notifications.
    func runLoop(until listener: String, in transcript: Transcript, hears count: Int) {
        transcript.step("RunLoop.main.run(…)")
        during("the run loop") {
            transcript.wait(for: listener, count: count) {
                let wake = Date(timeIntervalSinceNow: 0.01)
                // Without input sources, the run loop returns at once.
                if !RunLoop.main.run(mode: .default, before: wake) { Thread.sleep(forTimeInterval: 0.001) }
            }
        }
    }

    /// Calls `work`, during which `moment` names the activity for listeners.
    func during<Value>(_ moment: String, _ work: () throws -> Value) rethrows -> Value {
        self.moment = moment
        defer { self.moment = "no call" }
        return try work()
    }
}

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
