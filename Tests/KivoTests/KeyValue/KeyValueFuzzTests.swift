import Dispatch
import Foundation
import Kivo
import TestRandomness
import XCTest

/// Whatever is edited, in this instance and elsewhere, the changes that key-value observers of a list receive lead from its old
/// contents to the new ones.
final class KeyValueFuzzTests: RealmTestCase {
    /// Follows a list by its notifications.
    private final class Follower: KeyValueObserver {
        var values: [Any]
        var problems: [String] = []
        var kinds: Set<UInt> = []

        private let read: () -> [Any]

        init(_ read: @escaping () -> [Any]) {
            self.read = read
            values = read()
        }

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            let (old, new) = (change?[.oldKey] as? [Any], change?[.newKey] as? [Any])
            let indexes = change?[.indexesKey] as? IndexSet
            guard let raw = change?[.kindKey] as? UInt, let kind = NSKeyValueChange(rawValue: raw) else {
                return problems.append("no kind")
            }
            kinds.insert(raw)
            if kind != .insertion, kind != .setting {
                compare(old, (indexes ?? []).map { $0 < values.count ? values[$0] : "nothing" })
            }
            switch kind {
            case .setting:
                compare(old, values)
                values = new ?? []
            case .insertion:
                for (index, value) in zip(indexes ?? [], new ?? []) { values.insert(value, at: index) }
            case .removal: for index in (indexes ?? []).reversed() { values.remove(at: index) }
            case .replacement:
                for (index, value) in zip(indexes ?? [], new ?? []) { values[index] = value }
                catchUp(indexes ?? [])
            }
        }

        /// By realm-swift's rule (section 7.3 of the corpus's format page), a change that consists of moves omits positions
        /// where moved elements end up side by side. The reported indexes must be right, not complete.
        private func catchUp(_ told: IndexSet) {
            let current = read()
            for index in told where "\(values[index])" != "\(current[index])" {
                problems.append("told another element at \(index)")
            }
            values = current
        }

        private func compare(_ old: [Any]?, _ expected: [Any]) {
            guard let old = old as? [Int], let expected = expected as? [Int] else {
                if old?.count != expected.count { problems.append("\(old ?? []) and not \(expected)") }
                return
            }
            if old != expected { problems.append("\(old) and not \(expected)") }
        }
    }

    func testWhatListsTellAddsUp() throws {
        var random = RandomSource()
        let realm = try openRealm()
        let holder = FuzzHolder(value: ["numbers": [1, 2, 3]])
        try realm.write { realm.add(holder) }
        let (numbers, items) = (Follower { Array(holder.numbers) }, Follower { Array(holder.items) })
        holder.addObserver(numbers, forKeyPath: "numbers", options: [.old, .new])
        holder.addObserver(items, forKeyPath: "items", options: [.old, .new])
        let configuration = configuration
        let queue = DispatchQueue(label: "other writer")
        for step in TestEffort.rounds(1200, within: 0.18, atLeast: 100) {
            var edits = (0...random.below(4)).map { _ in FuzzEdit.random(&random) }
            for _ in 0..<random.below(3) {
                edits.append(.numberInsert(random.below(1000), random.below(50)))
                edits.append(.numberMove(random.below(1000), random.below(1000)))
            }
            if random.chance(20) {
                edits = [.numberRemove(random.below(1000)), .numberRemove(random.below(1000))]
            }
            switch random.below(3) {
            case 0: try realm.write { for edit in edits { edit.make(in: realm) } }
            case 1:
                realm.beginWrite()
                for edit in edits { edit.make(in: realm) }
                realm.cancelWrite()
            default:
                try queue.sync { [edits] in
                    let realm = try Realm(configuration: configuration, queue: queue)
                    try realm.write { for edit in edits { edit.make(in: realm) } }
                }
                realm.refresh()
            }
            let isSound =
                numbers.problems.isEmpty && items.problems.isEmpty
                && numbers.values as? [Int] == Array(holder.numbers)
                && items.values.count == holder.items.count
            guard isSound else {
                return XCTFail(
                    "step \(step): \(numbers.problems) \(items.problems) \(numbers.values) \(Array(holder.numbers)) "
                        + "\(items.values.count) \(holder.items.count)")
            }
        }
        XCTAssertEqual(numbers.kinds, [1, 2, 3, 4])
        holder.removeObserver(numbers, forKeyPath: "numbers")
        holder.removeObserver(items, forKeyPath: "items")
    }
}
