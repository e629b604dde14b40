import Foundation
import Kivo
import TestRandomness
import XCTest

/// Whatever is edited, in this instance and elsewhere, every observer of a map is notified once, of exactly what a naive model
/// expects.
final class MapNotificationFuzzTests: RealmTestCase {
    /// An observation, and the notifications that a model of its own expects.
    private final class Observed {
        let name: String
        var token: NotificationToken?
        var told: [String] = []
        var updateCount = 0
        private var model = MapFuzzModel()
        private let update: (MapFuzzModel) -> String?
        private let isSound: () -> Bool

        /// - Parameter row: the part of a value that the observer shows; other changes need not be notified.
        init<Value, Row: Equatable>(
            _ name: String, _ map: Map<String, Value>, _ keyPaths: [String]? = nil,
            row: @escaping (Value) -> Row, _ update: @escaping (MapFuzzModel) -> String?
        ) {
            self.name = name
            self.update = update
            // Follows the map only by its notifications.
            let shown = Box<[String: Row]>([:])
            let rows = { Dictionary(uniqueKeysWithValues: map.map { ($0.key, row($0.value)) }) }
            isSound = { shown.value == rows() }
            token = map.observe(keyPaths: keyPaths) { [weak self] change in
                switch change {
                case .initial:
                    shown.value = rows()
                    self?.told.append("initial")
                case .update(let map, let deletions, let insertions, let modifications):
                    for key in deletions { shown.value[key] = nil }
                    for key in insertions + modifications { shown.value[key] = map[key].map(row) }
                    self?.told.append("-\(deletions) +\(insertions) ~\(modifications)")
                    self?.updateCount += 1
                case .error(let error): self?.told.append("\(error)")
                }
            }
        }

        func make(_ edit: MapFuzzEdit) { model.make(edit) }

        /// Starts over from the current contents.
        func look() { model.look() }

        /// Returns whether the observer received exactly the expected notifications. Call this after everything due was
        /// delivered.
        func check(_ step: Int) -> Bool {
            let expected = update(model).map { [$0] } ?? []
            model.look()
            defer { told = [] }
            if told != expected { XCTFail("step \(step), \(name): told \(told), not \(expected)") }
            return told == expected
        }

        func checkContents(_ step: Int) -> Bool {
            if !isSound() { XCTFail("step \(step), \(name): what was told does not lead to what there is") }
            return isSound()
        }
    }

    private func observeAll(_ holder: MapFuzzHolder) -> [Observed] {
        [
            Observed("values", holder.counts, row: { $0 }) { $0.counts.update() },
            Observed("objects", holder.items, row: { $0?.valuesWithinThreeLinks }) {
                $0.items.update(alsoModified: $0.modifiedWithinThreeLinks)
            },
            Observed("objects by value", holder.items, ["value"], row: { $0?.value }) {
                $0.items.update(alsoModified: $0.modifiedByValue)
            },
            Observed("objects by linked value", holder.items, ["link.value"], row: { $0?.link?.value }) {
                $0.items.update(alsoModified: $0.modifiedByLinkedValue)
            },
        ]
    }

    private func edits(_ random: inout RandomSource) -> [MapFuzzEdit] {
        (0...random.below(6)).map { _ in MapFuzzEdit.random(&random) }
    }

    /// One step: some commits, here and elsewhere, and a delivery; returns whether all went well.
    private func step(
        _ step: Int, _ realm: Realm, _ observed: [Observed], _ random: inout RandomSource
    ) throws -> Bool {
        for _ in 0...random.below(3) {
            let edits = edits(&random)
            if random.chance(50) {
                try writeElsewhere { realm in for edit in edits { edit.make(in: realm) } }
                for edit in edits { for one in observed { one.make(edit) } }
                continue
            }
            realm.beginWrite()
            // Beginning the write delivered everything due.
            for one in observed where !one.check(step) { return false }
            for edit in edits { edit.make(in: realm) }
            if random.chance(20) {
                realm.cancelWrite()
                continue
            }
            for edit in edits { for one in observed { one.make(edit) } }
            let skipped = random.chance(15) ? [observed[random.below(observed.count)]] : []
            try realm.commitWrite(withoutNotifying: skipped.compactMap(\.token))
            for one in skipped { one.look() }
        }
        realm.refresh()
        return observed.allSatisfy { $0.check(step) }
    }

    func testEveryObserverIsToldWhatTheModelSays() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(4) {
            let realm = try openRealm()
            let holder = MapFuzzHolder()
            try realm.write {
                realm.deleteAll()
                realm.add(holder)
            }
            let observed = observeAll(holder)
            realm.refresh()
            for one in observed {
                XCTAssertEqual(one.told, ["initial"])
                one.told = []
            }
            for index in 0..<300 {
                guard try step(index, realm, observed, &random) else { return }
            }
            for one in observed { XCTAssertGreaterThan(one.updateCount, TestEffort.expected(50), one.name) }
            let keys = [holder.counts.keys] + Array(repeating: holder.items.keys, count: 3)
            try realm.write { realm.delete(holder) }
            realm.refresh()
            try realm.write { realm.delete(realm.objects(MapFuzzItem.self)) }
            realm.refresh()
            XCTAssertEqual(observed.map(\.told), keys.map { $0.isEmpty ? [] : ["-\($0) +[] ~[]"] })
        }
    }

    func testWhatIsToldLeadsToWhatThereIs() throws {
        var random = RandomSource()
        let realm = try openRealm()
        let holder = MapFuzzHolder()
        try realm.write { realm.add(holder) }
        let observed = observeAll(holder)
        realm.refresh()
        for index in TestEffort.rounds(300, within: 0.18, atLeast: 40) {
            for _ in 0...random.below(3) {
                let edits = edits(&random)
                if random.chance(50) {
                    try writeElsewhere { realm in for edit in edits { edit.make(in: realm) } }
                } else {
                    try realm.write { for edit in edits { edit.make(in: realm) } }
                }
            }
            realm.refresh()
            guard observed.allSatisfy({ $0.checkContents(index) }) else { return }
        }
        for one in observed { XCTAssertGreaterThan(one.updateCount, TestEffort.expected(50), one.name) }
    }
}
