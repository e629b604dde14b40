import Foundation
import Kivo

/// What the scenes share: the realm of the main thread, the same data as plain values, and the listeners that
/// are attached at the moment.
final class Tour {
    let realm: Realm
    let configuration: Realm.Configuration
    /// What the realm must hold by now.
    private(set) var atlas: Atlas
    /// What the main thread is doing, for listeners that record when they were called.
    private(set) var moment = "no call"
    private var endings: [() -> Void] = []
    /// Where the steps of the scene that is played are noted.
    private var transcript = Transcript()

    /// - Parameter atlas: What will be loaded by the first scene.
    init(configuration: Realm.Configuration, atlas: Atlas) throws {
        self.configuration = configuration
        self.atlas = atlas
        realm = try Realm(configuration: configuration)
    }

    /// The transcript of the next scene.
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

    /// Commits edits on the main thread. Change listeners hear of it at the next `refresh()`.
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

    /// Commits edits on another thread, each group in a transaction of its own. The realm of the main thread
    /// knows nothing of it until it is refreshed.
    func writeElsewhere(_ transactions: [Edit]...) throws {
        try writeElsewhere(transactions)
    }

    func writeElsewhere(_ transactions: [[Edit]]) throws {
        let after = try atlas.after(transactions.flatMap { $0 })
        for (number, edits) in transactions.enumerated() {
            // Of many that are alike the first and the last will do.
            if number > 0, number < transactions.count - 1 {
                if number == 1 { transcript.step("    … and \(transactions.count - 2) more") }
                continue
            }
            transcript.step(Edit.code(of: edits, "elsewhere.write"))
        }
        try Elsewhere.commit(transactions, to: configuration)
        atlas = after
    }

    /// Takes note of an edit that the scene has made by other means.
    func note(_ edit: Edit) throws {
        atlas = try atlas.after([edit])
    }

    func refresh() {
        transcript.step("realm.refresh()")
        during("refresh()") { _ = realm.refresh() }
    }

    /// Turns the run loop of the main thread until `listener` was told `count` things.
    func runLoop(until listener: String, in transcript: Transcript, hears count: Int) {
        transcript.step("RunLoop.main.run(…)")
        during("the run loop") {
            transcript.wait(for: listener, count: count) {
                let wake = Date(timeIntervalSinceNow: 0.01)
                // With nothing to wait for, the run loop returns at once.
                if !RunLoop.main.run(mode: .default, before: wake) { Thread.sleep(forTimeInterval: 0.001) }
            }
        }
    }

    /// Runs `work`, and says so to listeners that ask for the moment.
    func during<Value>(_ moment: String, _ work: () throws -> Value) rethrows -> Value {
        self.moment = moment
        defer { self.moment = "no call" }
        return try work()
    }
}
