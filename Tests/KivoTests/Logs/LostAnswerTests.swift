import Foundation
import Kivo
import KivoEngine
import KivoLog
import XCTest

/// Appends whose answers get lost: what is reported is true, for ever.
final class LostAnswerTests: XCTestCase {
    private let base = MemoryLog()
    private let script = ScriptedLog.Script()

    private func realm(_ name: String = "", patience: TimeInterval = 0.1) throws -> Realm {
        var configuration = Realm.Configuration(objectTypes: [LogNote.self])
        configuration.commitTimeout = patience
        configuration.commitLog = CommitLogSource(identifier: "\(self.name) \(name)") { [base, script] in
            ScriptedLog(MemoryLog(sharing: base), script)
        }
        return try Realm(configuration: configuration)
    }

    private func numbers(_ realm: Realm) -> [Int] {
        realm.refresh()
        return realm.objects(LogNote.self).map(\.number).sorted()
    }

    private func write(_ realm: Realm, _ number: Int) throws {
        try realm.write { realm.add(LogNote(value: ["number": number])) }
    }

    /// More lost answers than any number of attempts that is made without pauses.
    func testManyLostAnswersInARow() throws {
        let realm = try realm(patience: 60)
        script.state.withLock { $0.steps = Array(repeating: .losesRequest, count: 12) + [.losesAnswer] }
        try write(realm, 1)
        XCTAssertEqual(numbers(realm), [1])
        XCTAssertEqual(base.head(), 1)
        try write(realm, 2)
        XCTAssertEqual(numbers(realm), [1, 2])
    }

    /// The answer is lost, and then the log is unreachable: this is not a definite failure.
    func testALostAnswerThatCannotBeCheckedIsUnknown() throws {
        let realm = try realm()
        script.state.withLock { ($0.steps, $0.last, $0.resolves) = ([.losesAnswer], .isUnreachable, false) }
        var unknown: Realm.Error?
        XCTAssertThrowsError(try write(realm, 1)) { error in
            XCTAssertTrue(Realm.Error.unknownOutcome ~= error, "\(error)")
            unknown = error as? Realm.Error
        }
        // The log is still unreachable.
        XCTAssertThrowsError(try realm.wasCarriedOut(XCTUnwrap(unknown))) { error in
            XCTAssertTrue(Realm.Error.unknownOutcome ~= error, "\(error)")
        }
        script.state.withLock { ($0.last, $0.resolves) = (.answers, true) }
        XCTAssertTrue(try realm.wasCarriedOut(XCTUnwrap(unknown)))
        XCTAssertEqual(numbers(realm), [1])
        XCTAssertEqual(base.head(), 1)
    }

    /// A writer that retries after false pays once: the late request is rejected.
    func testALateRequestIsRefusedOnceItWasResolved() throws {
        let realm = try realm()
        script.state.withLock { ($0.last, $0.resolves) = (.isLate, false) }
        var unknown: Realm.Error?
        XCTAssertThrowsError(try write(realm, 1)) { error in
            XCTAssertTrue(Realm.Error.unknownOutcome ~= error, "\(error)")
            unknown = error as? Realm.Error
        }
        script.state.withLock { ($0.last, $0.resolves) = (.answers, true) }
        XCTAssertFalse(try realm.wasCarriedOut(XCTUnwrap(unknown)))
        XCTAssertFalse(script.deliver(to: base).contains(.appended(version: 1)))
        try realm.write(attempts: 3) { realm.add(LogNote(value: ["number": 1])) }
        XCTAssertEqual(numbers(realm), [1])
        // The answer stays the same.
        XCTAssertFalse(try realm.wasCarriedOut(XCTUnwrap(unknown)))
    }

    /// A request that arrives after all is carried out once, and its realm shows it.
    func testALateRequestThatArrives() throws {
        let realm = try realm()
        script.state.withLock { ($0.last, $0.resolves) = (.isLate, false) }
        var unknown: Realm.Error?
        XCTAssertThrowsError(try write(realm, 1)) { unknown = $0 as? Realm.Error }
        XCTAssertTrue(script.deliver(to: base).contains(.appended(version: 1)))
        script.state.withLock { ($0.last, $0.resolves) = (.answers, true) }
        XCTAssertTrue(try realm.wasCarriedOut(XCTUnwrap(unknown)))
        XCTAssertEqual(numbers(realm), [1])
        XCTAssertEqual(base.head(), 1)
    }

    /// An unreachable log was sent nothing: the write failed, and the error says why.
    func testAnUnreachableLog() throws {
        let realm = try realm()
        script.state.withLock { $0.last = .isUnreachable }
        XCTAssertThrowsError(try write(realm, 1)) { error in
            XCTAssertTrue(Realm.Error.logUnavailable ~= error, "\(error)")
            XCTAssertEqual((error as? Realm.Error).map { try? realm.wasCarriedOut($0) }, false)
        }
        script.state.withLock { $0.last = .answers }
        XCTAssertEqual(numbers(realm), [])
        try write(realm, 2)
        XCTAssertEqual(numbers(realm), [2])
    }

    func testTheBlockRunsAgainWhenOthersWereFirst() throws {
        let (first, second) = (try realm("first"), try realm("second"))
        try write(first, 1)
        second.refresh()
        var runs = 0
        try first.write(attempts: 5) {
            runs += 1
            if runs == 1 { try write(second, 2) }
            first.add(LogNote(value: ["number": 3]))
        }
        XCTAssertEqual(runs, 2)
        XCTAssertEqual(numbers(first), [1, 2, 3])
        XCTAssertEqual(numbers(second), [1, 2, 3])
        var more = 10
        XCTAssertThrowsError(
            try first.write(attempts: 2) {
                more += 1
                try write(second, more)
                first.add(LogNote())
            }
        ) { XCTAssertTrue(Realm.Error.conflictingWrite ~= $0, "\($0)") }
        XCTAssertEqual(more, 12)
    }
}
