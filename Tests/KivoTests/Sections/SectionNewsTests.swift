import Foundation
import TestRandomness
import XCTest

@testable import Kivo

/// A consumer that waits for changes of sections, like a stream, is woken when an observer would be called, and seldom
/// otherwise.
final class SectionNewsTests: RealmTestCase {
    /// Waits for news of one listener.
    private final class Waiter: ChangeConsumer {
        private(set) var isWoken = false
        private(set) var registration: Registration?
        let instance: RealmInstance

        init(_ listener: Listener, _ instance: RealmInstance) {
            self.instance = instance
            listener.take(.caughtUp)
            listener.callInitial()
            listener.consumer = self
            registration = instance.listeners.register(listener)
        }

        var pinnedVersion: UInt64? { nil }
        func didChange(since version: UInt64) { isWoken = true }
        func didEnd() { isWoken = true }

        func end() { registration.map { instance.listeners.unregister($0) } }
    }

    private func isWoken<Key>(
        _ sections: SectionedResults<Key, SectionsItem>, only section: Key? = nil, _ keyPaths: [String] = [],
        by change: () throws -> Void
    ) throws -> Bool {
        let context = try XCTUnwrap(sections.state.query.elements)
        let waiter = Waiter(
            SectionedListener(sections.state, only: section, KeyPathFilter.make(keyPaths, context)) { _ in },
            sections.state.instance)
        defer { waiter.end() }
        try change()
        sections.realm!.refresh()
        return waiter.isWoken
    }

    func testWhatIsNoNewsWakesNobody() throws {
        let realm = try openRealm()
        try realm.write {
            for number in 0..<12 {
                realm.create(
                    SectionsItem.self, value: ["mark": number, "value": number % 3, "name": "\(number)"])
            }
        }
        let items = realm.objects(SectionsItem.self)
        let byValue = items.sectioned(by: { $0.value }, sortDescriptors: [SortDescriptor(keyPath: "mark")])
        func write(_ body: @escaping () -> Void) -> () throws -> Void { { try realm.write(body) } }
        // The elements count only with the properties that the key paths name, and those that move them.
        XCTAssertFalse(try isWoken(byValue, ["note"], by: write { items[0].name = "x" }))
        XCTAssertTrue(try isWoken(byValue, ["note"], by: write { items[0].note = "x" }))
        XCTAssertTrue(try isWoken(byValue, ["note"], by: write { items[0].value = 1 }))
        XCTAssertTrue(try isWoken(byValue, ["note"], by: write { items[0].mark = 100 }))
        XCTAssertFalse(
            try isWoken(byValue, ["note"], by: write { items[0].value = 1 }), "it is there already")
        // A section hears of its own elements.
        XCTAssertFalse(try isWoken(byValue, only: 2, by: write { items[0].name = "y" }))
        XCTAssertFalse(try isWoken(byValue, only: 2, by: write { items[0].value = 0 }))
        XCTAssertTrue(try isWoken(byValue, only: 2, by: write { items[0].value = 2 }))
        XCTAssertTrue(try isWoken(byValue, only: 2, by: write { items[0].name = "z" }))
        XCTAssertTrue(try isWoken(byValue, only: 2, by: write { items[0].value = 0 }))
        XCTAssertFalse(try isWoken(byValue, only: 7, by: write { items[1].value = 6 }))
        XCTAssertTrue(try isWoken(byValue, only: 7, by: write { items[1].value = 7 }))
        XCTAssertTrue(try isWoken(byValue, only: 7, by: write { realm.delete(items[1]) }))
        XCTAssertFalse(try isWoken(byValue, only: 7, by: write { realm.create(SectionsItem.self) }))
        // A list has the same rules.
        let holder = SectionsHolder()
        try realm.write {
            realm.add(holder)
            holder.items.append(objectsIn: items)
        }
        let listed = holder.items.sectioned(
            by: { $0.value }, sortDescriptors: [SortDescriptor(keyPath: "mark")])
        let first = holder.items.first { $0.value == 0 }!
        XCTAssertFalse(try isWoken(listed, ["note"], by: write { first.name = "a" }))
        XCTAssertFalse(try isWoken(listed, only: 2, by: write { first.name = "b" }))
        XCTAssertTrue(try isWoken(listed, only: 0, by: write { first.name = "c" }))
        XCTAssertTrue(try isWoken(listed, only: 2, by: write { first.value = 2 }))
        XCTAssertTrue(try isWoken(listed, only: 2, by: write { first.mark = 300 }))
    }

    /// An observer of one section is not notified when the section changes places with others. For the sections as a whole this
    /// is a move of one or the other.
    func testASectionIsNotToldOfItsPlaceAmongOthers() throws {
        let realm = try openRealm()
        try realm.write {
            for (mark, value) in [(10, 1), (11, 1), (20, 2), (30, 3)] {
                realm.create(SectionsItem.self, value: ["mark": mark, "value": value])
            }
        }
        let items = realm.objects(SectionsItem.self).sorted(by: \.mark)
        let sections = items.sectioned(by: { $0.value }, sortDescriptors: [SortDescriptor(keyPath: "mark")])
        let first = try XCTUnwrap(sections.first { $0.key == 1 })
        var (told, toldOfAll): ([String], [[Int]]) = ([], [])
        let tokens = [
            first.observe { change in
                guard
                    case .update(_, let deletions, let insertions, let modifications, let come, let gone) =
                        change
                else { return }
                told.append(
                    "-\(deletions.count) +\(insertions.count) ~\(modifications.count) "
                        + "\(Array(gone)) \(Array(come))")
            },
            sections.observe { change in
                if case .update(_, _, _, _, _, let gone) = change { toldOfAll.append(Array(gone)) }
            },
        ]
        defer { tokens.forEach { $0.invalidate() } }
        realm.refresh()
        func change(_ body: () -> Void) throws -> [String] {
            told = []
            try realm.write(body)
            realm.refresh()
            return told
        }
        let (second, third) = (items[2], items[3])
        XCTAssertEqual(sections.map(\.key), [1, 2, 3])
        // The two others move before it: the shortest way to say so is that it moved.
        XCTAssertEqual(
            try change {
                second.mark = 1
                third.mark = 2
            }, [])
        XCTAssertEqual(toldOfAll, [[0]])
        XCTAssertEqual(sections.map(\.key), [2, 3, 1])
        let member = items[2]
        XCTAssertEqual(try change { member.name = "x" }, ["-0 +0 ~1 [] []"])
        XCTAssertEqual(
            try change {
                second.mark = 101
                third.mark = 102
                member.name = "y"
            }, ["-0 +0 ~1 [] []"], "its rows are told of where they are")
        XCTAssertEqual(try change { member.value = 2 }, ["-1 +0 ~0 [] []"])
    }

    /// Every change of which an observer is notified wakes a waiting consumer, also after changes that did not wake it.
    func testNothingThatIsToldIsMissed() throws {
        var random = RandomSource()
        let realm = try openRealm()
        let holder = SectionsHolder()
        try realm.write {
            realm.add(holder)
            for number in 0..<30 {
                let item = realm.create(SectionsItem.self, value: ["mark": number, "value": number % 4])
                if number % 2 == 0 { holder.items.append(item) }
                if number % 3 == 0 { holder.itemSet.insert(item) }
            }
        }
        let items = realm.objects(SectionsItem.self)
        let marks = [SortDescriptor(keyPath: "mark")]
        let all: [SectionedResults<Int, SectionsItem>] = [
            items.sectioned(by: \.value), items.sectioned(by: { $0.value }, sortDescriptors: marks),
            items.where { $0.mark < 20 }.sectioned(by: { $0.link?.value ?? 9 }, sortDescriptors: marks),
            holder.items.sectioned(by: { $0.value }, sortDescriptors: marks),
            holder.itemSet.sectioned(by: \.value),
            items.distinct(by: ["value"]).sectioned(by: \.value),
        ]
        struct Kind { var sections: Int, only: Int?, keyPaths: [String] }
        var kinds: [Kind] = []
        for sections in all.indices {
            for only in [nil, 1, 5] {
                for keyPaths in [[], ["note"]] {
                    kinds.append(Kind(sections: sections, only: only, keyPaths: keyPaths))
                }
            }
        }
        func makeWaiter(_ kind: Kind) -> Waiter {
            let sections = all[kind.sections]
            let filter = KeyPathFilter.make(kind.keyPaths, sections.state.query.elements!)
            return Waiter(
                SectionedListener(sections.state, only: kind.only, filter) { _ in }, realm.instance)
        }
        var isTold = kinds.map { _ in false }
        let observers = kinds.enumerated().map { index, kind in
            let sections = all[kind.sections]
            let filter = KeyPathFilter.make(kind.keyPaths, sections.state.query.elements!)
            let listener = SectionedListener(sections.state, only: kind.only, filter) { change in
                if change != nil { isTold[index] = true }
            }
            return realm.instance.listeners.add(listener)
        }
        wait("the first calls") { !realm.instance.listeners.isDeliveryDue(realm.instance.version) }
        var waiters = kinds.map(makeWaiter)
        var (woken, told) = (0, 0)
        for step in TestEffort.rounds(250, within: 0.24, atLeast: 20) {
            try realm.write {
                for _ in 0...random.below(2) where !items.isEmpty {
                    let item = items[random.below(items.count)]
                    switch random.below(9) {
                    case 0: item.value = random.below(7)
                    case 1: item.mark = random.below(40)
                    case 2: item.note += "x"
                    case 3: item.name += "x"
                    case 4: item.link = items[random.below(items.count)]
                    case 5 where items.count > 10: realm.delete(item)
                    case 6: holder.items.insert(item, at: random.below(holder.items.count + 1))
                    case 7: holder.itemSet.insert(item)
                    default:
                        realm.create(
                            SectionsItem.self, value: ["mark": random.below(40), "value": random.below(7)])
                    }
                }
            }
            realm.refresh()
            for (index, waiter) in waiters.enumerated() {
                if isTold[index] {
                    XCTAssertTrue(waiter.isWoken, "step \(step), \(kinds[index]), seed \(random)")
                    told += 1
                }
                isTold[index] = false
                guard waiter.isWoken else { continue }
                woken += 1
                waiters[index] = makeWaiter(kinds[index])
            }
        }
        XCTAssertGreaterThan(told, TestEffort.expected(500))
        XCTAssertLessThan(woken, told * 2, "most are woken for something")
        for waiter in waiters { waiter.end() }
        for observer in observers { observer.invalidate() }
    }
}
