import Foundation
import Kivo
import KivoTesting
import Testing
import XCTest

/// Assertions that wait, and the commits of which a failure speaks.
final class ChangeWaitingTests: FailureCatchingTestCase {
    private var realm: Realm!

    override func setUpWithError() throws { realm = try openRealm() }

    override func tearDown() { realm = nil }

    private func recorder() -> ChangeRecorder {
        let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
        realm.refresh()
        return recorder
    }

    private func commitElsewhere(_ count: Int = 1) throws {
        try elsewhere { realm in
            for _ in 0..<count { try realm.write { _ = realm.create(Dog.self) } }
        }
    }

    // MARK: Waiting

    func testAnAssertionWaitsForTheRunLoop() throws {
        let recorder = recorder()
        try commitElsewhere()
        recorder.assertChanges([.initial(count: 0), .update(insertions: [0])], within: 60)
        recorder.expectChanges([.initial(count: 0), .update(insertions: [0])], within: 60)
    }

    @MainActor func testAnAssertionSuspends() async throws {
        let realm = try openRealm()
        let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
        await recorder.assertChanges([.initial(count: 0)], within: 60)
        let configuration = configuration
        async let written: Void = Task.detached {
            try Realm(configuration: configuration).write {
                _ = try Realm(configuration: configuration).create(Dog.self)
            }
        }.value
        await recorder.assertChanges([.initial(count: 0), .update(insertions: [0])], within: 60)
        await recorder.expectChanges([.initial(count: 0), .update(insertions: [0])], within: 60)
        try await written
    }

    func testPropertiesAreWaitedFor() throws {
        let rex = Dog(value: ["name": "Rex"])
        try realm.write { realm.add(rex) }
        let recorder = KeyValueRecorder(observing: rex, "age")
        try writeElsewhere { $0.objects(Dog.self)[0].age = 3 }
        recorder.assertChanges([.setting("age", from: 0, to: 3)], within: 60)
        recorder.expectChanges([.setting("age", from: 0, to: 3)], within: 60)
    }

    // MARK: Undelivered commits

    func testADifferenceCountsUndeliveredCommits() throws {
        let recorder = recorder()
        try commitElsewhere()
        let expected: [ListenedChange] = [.initial(count: 0), .update(insertions: [0])]
        XCTAssertEqual(
            recorder.difference(from: expected),
            """
            The recorded changes are not the expected ones (- expected, + recorded):
              .initial(count: 0)
            - .update(insertions: [0])
            1 commit undelivered: refresh()
            """)
        try commitElsewhere(2)
        XCTAssertEqual(lastLine(recorder.difference(from: expected)), "3 commits undelivered: refresh()")
        realm.refresh()
        XCTAssertNil(recorder.difference(from: [.initial, .update(insertions: [0, 1, 2])]))
        XCTAssertEqual(lastLine(recorder.difference(from: [.initial])), "+ .update(insertions: [0, 1, 2])")
    }

    func testCommitsOfTheSameRealmAreUndeliveredUntilItsTurn() throws {
        let recorder = recorder()
        try realm.write { _ = realm.create(Dog.self) }
        XCTAssertEqual(lastLine(recorder.difference(from: [])), "1 commit undelivered: refresh()")
        realm.refresh()
        // A commit that does not concern the listener is delivered as well: nothing is left of it.
        try realm.write { _ = realm.create(Person.self) }
        realm.refresh()
        XCTAssertEqual(lastLine(recorder.difference(from: [])), "+ .update(insertions: [0])")
    }

    func testARealmsObserversHaveUndeliveredCommits() throws {
        realm.refresh()
        let recorder = ChangeRecorder(observing: realm)
        XCTAssertEqual(lastLine(recorder.difference(from: [.deleted])), "- .deleted")
        try commitElsewhere(2)
        XCTAssertEqual(lastLine(recorder.difference(from: [.deleted])), "2 commits undelivered: refresh()")
        realm.refresh()
        XCTAssertEqual(lastLine(recorder.difference(from: [])), "+ .realm(.didChange)")
    }

    func testPropertiesHaveUndeliveredCommits() throws {
        let rex = Dog(value: ["name": "Rex"])
        try realm.write { realm.add(rex) }
        let recorders = [KeyValueRecorder(observing: rex, "age"), KeyValueRecorder(observing: rex, \.age)]
        try writeElsewhere { $0.objects(Dog.self)[0].age = 3 }
        for recorder in recorders {
            XCTAssertEqual(
                lastLine(recorder.difference(from: [.setting(from: 0, to: 3)])),
                "1 commit undelivered: refresh()")
        }
        realm.refresh()
        for recorder in recorders {
            XCTAssertEqual(lastLine(recorder.difference(from: [])), "+ .setting(from: 0, to: 3)")
        }
    }

    func testAStoppedRecorderHasNothingUndelivered() throws {
        let recorder = recorder()
        try commitElsewhere()
        recorder.stop()
        XCTAssertEqual(lastLine(recorder.difference(from: [])), "+ .initial(count: 0)")
    }

    // MARK: The first call

    func testAnUndeliveredFirstCallIsNamed() throws {
        let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
        XCTAssertEqual(
            lastLine(recorder.difference(from: [.initial])), "The first call is undelivered: refresh()")
        realm.refresh()
        XCTAssertNil(recorder.difference(from: [.initial]))
    }

    func testACommitThatTheFirstCallContainsIsNamed() throws {
        let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
        try commitElsewhere()
        XCTAssertFalse(recorder.waitForChanges(2, timeout: 0.05))
        let difference = try XCTUnwrap(
            recorder.difference(from: [.initial(count: 0), .update(insertions: [0])]))
        XCTAssertTrue(difference.contains("1 commit came before the first call"), difference)
        XCTAssertTrue(difference.contains("no update follows"), difference)
        XCTAssertFalse(difference.contains("undelivered"), difference)
        XCTAssertNil(recorder.difference(from: [.initial(count: 1)]))
    }

    func testTheFirstCallOfEachSubjectCountsForItself() throws {
        let recorder = ChangeRecorder(observing: realm.objects(Dog.self))
        realm.refresh()
        recorder.observe(realm.objects(Person.self))
        try commitElsewhere(2)
        realm.refresh()
        let difference = try XCTUnwrap(recorder.difference(from: []))
        XCTAssertEqual(difference.components(separatedBy: "came before the first call").count, 2, difference)
        XCTAssertTrue(difference.contains("2 commits came before"), difference)
    }

    #if !canImport(ObjectiveC)
    func testAnAssertionThatWaitedInVainSaysWhatIsUndelivered() throws {
        realm.autorefresh = false
        let recorder = recorder()
        try commitElsewhere()
        let failures = failures {
            recorder.assertChanges([.initial, .update(insertions: [0])], within: 0.02, "why")
        }
        XCTAssertEqual(failures.count, 1)
        let text = failures.first?.text ?? ""
        XCTAssertTrue(text.contains("why\nThe recorded"), text)
        XCTAssertTrue(text.hasSuffix("1 commit undelivered: refresh()"), text)
        XCTAssertEqual(failures.first?.line, #line - 6)
    }
    #endif

    private func lastLine(_ difference: String?) -> String? { difference?.components(separatedBy: "\n").last }
}
