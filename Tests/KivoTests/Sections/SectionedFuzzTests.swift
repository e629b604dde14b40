import Dispatch
import Foundation
import Kivo
import KivoTesting
import TestRandomness
import XCTest

/// Sections under random edits, in this instance and elsewhere, notified and not notified. The changes that observers receive
/// turn what they saw into the current contents, and these equal a new grouping of all elements.
final class SectionedFuzzTests: RealmTestCase {
    /// Sections, their observation, and the table that follows it.
    private struct Observed {
        let name: String
        let tokens: [NotificationToken]
        /// What is wrong, or nil.
        let problem: () -> String?
        let read: () -> Int
        /// Takes over what there is after a write that was not told.
        let catchUp: () -> Void
        let changeCount: () -> Int
    }

    private func observe<Key: _Persistable & Hashable, Element, Row: Equatable>(
        _ name: String, _ sections: SectionedResults<Key, Element>, keyPaths: [String]? = nil,
        _ source: @escaping () -> [Element], _ key: @escaping (Element) -> Key,
        _ row: @escaping (Element) -> Row
    ) -> Observed {
        let table = SectionedUpdateTable<Key, Element, Row>(row: row)
        let mirror = Box<[[Row]]>([])
        let token = sections.observe(keyPaths: keyPaths, on: nil) {
            table.apply($0)
            Self.apply($0, to: &mirror.value, row)
        }
        let one = sections.first.map { observeOne($0, in: sections, keyPaths, row) }
        return Observed(
            name: name, tokens: [token] + (one.map { [$0.token] } ?? []),
            problem: {
                if let problem = table.problems.first ?? one?.table.problems.first { return problem }
                if mirror.value != table.sections.map(\.rows) { return "the mirror shows \(mirror.value)" }
                var keys: [Key] = []
                var rows: [Key: [Row]] = [:]
                for element in source() {
                    let key = key(element)
                    if rows[key] == nil { keys.append(key) }
                    rows[key, default: []].append(row(element))
                }
                let model = keys.map {
                    SectionedUpdateTable<Key, Element, Row>.Section(key: $0, rows: rows[$0]!)
                }
                if table.sections != model { return "shows \(table.sections), not \(model)" }
                return sections.allKeys == keys ? nil : "keys are \(sections.allKeys), not \(keys)"
            },
            read: { sections.reduce(0) { $0 + $1.count } },
            catchUp: {
                table.show(sections)
                mirror.value = sections.map { $0.map(row) }
                one.map { $0.table.apply(.initial($0.section)) }
            }, changeCount: { table.changeCount })
    }

    /// A section of a key, its observation, and the table that follows it.
    private typealias ObservedSection<
        Key: _Persistable & Hashable, Element: RealmCollectionValue, Row: Equatable
    > = (
        section: ResultsSection<Key, Element>, token: NotificationToken, table: BatchUpdateTable<Element, Row>
    )

    private func observeOne<Key, Element, Row>(
        _ section: ResultsSection<Key, Element>, in sections: SectionedResults<Key, Element>,
        _ keyPaths: [String]?, _ row: @escaping (Element) -> Row
    ) -> ObservedSection<Key, Element, Row> {
        let table = BatchUpdateTable<Element, Row>(row: row)
        let token = section.observe(keyPaths: keyPaths, on: nil) { change in
            table.apply(change)
            let now = sections.allKeys.firstIndex(of: section.key)
            if case .update(_, let deletions, let insertions, let modifications, _, _) = change {
                XCTAssertEqual(
                    Set(change.currentModifications.map { $0[0] }),
                    Set(modifications.isEmpty ? [] : [now ?? -1]))
                XCTAssertEqual(change.currentModifications.count, modifications.count)
                XCTAssertLessThanOrEqual(Set((deletions + modifications).map { $0[0] }).count, 1)
                XCTAssertLessThanOrEqual(Set(insertions.map { $0[0] }).count, 1)
            }
        }
        return (section, token, table)
    }

    /// Applies a change in steps, each at the positions that the steps before left.
    private static func apply<Key, Element, Row>(
        _ change: SectionedResultsChange<SectionedResults<Key, Element>>, to mirror: inout [[Row]],
        _ row: (Element) -> Row
    ) {
        switch change {
        case .initial(let sections): mirror = sections.map { $0.map(row) }
        case .update(let sections, let deletions, let insertions, _, let inserted, let deleted):
            for path in deletions.reversed() { mirror[path[0]].remove(at: path[1]) }
            for section in deleted.reversed() { mirror.remove(at: section) }
            for section in inserted { mirror.insert([], at: section) }
            for path in insertions { mirror[path[0]].insert(row(sections[path]), at: path[1]) }
            for path in change.currentModifications { mirror[path[0]][path[1]] = row(sections[path]) }
        }
    }

    private func observeItems<C: RealmCollection, Key: _Persistable & Hashable>(
        _ name: String, _ collection: C, _ sort: [Kivo.SortDescriptor], keyPaths: [String]? = nil,
        by key: @escaping (SectionsItem) -> Key
    ) -> Observed where C.Element == SectionsItem {
        let source = { Array(collection.sorted(by: sort)) }
        let sections = collection.sectioned(by: key, sortDescriptors: sort)
        if keyPaths != nil {
            return observe(name, sections, keyPaths: keyPaths, source, key) { [$0.mark, Int($0.note) ?? -1] }
        }
        return observe(name, sections, source, key) {
            [$0.mark, $0.value, Int($0.name) ?? -1, Int($0.note) ?? -1, $0.link?.mark ?? -1]
        }
    }

    private func observeAll(_ realm: Realm, _ holder: SectionsHolder) -> [Observed] {
        let items = realm.objects(SectionsItem.self)
        let target = items[0]
        let down = Kivo.SortDescriptor(keyPath: "value", ascending: false)
        let byName = items.sectioned(by: \.name, sortDescriptors: ["name", down])
        let byLink = items.where { $0.link != nil }.sectioned(by: \.link!.name)
        let numbers = holder.numbers.sectioned(by: { $0 / 10 })
        let scattered = holder.numbers.sectioned(by: { $0 % 4 }, ascending: false)
        let numberSet = holder.numberSet.sectioned(by: { $0 / 7 })
        return [
            observe("key path", byName, { Array(items.sorted(by: ["name", down])) }, \.name) {
                [$0.mark, $0.value, Int($0.note) ?? -1]
            },
            observe(
                "key path through a link", byLink,
                { Array(items.where { $0.link != nil }.sorted(byKeyPath: "link.name")) }, { $0.link!.name }
            ) { [$0.mark, $0.link!.value] },
            observeItems("block", items, ["value"]) { $0.value / 5 },
            observeItems("scattered", items, ["value"]) { $0.name },
            observeItems("scattered and filtered", items.where { $0.value > 10 }, [down, "name"]) {
                $0.value % 3
            },
            observeItems("behind a link", items, ["name"]) { $0.link?.value ?? -1 },
            observeItems("with a key path", items, ["value"], keyPaths: ["note"]) { $0.name },
            observeItems("distinct", items.sorted(byKeyPath: "name").distinct(by: ["value"]), ["value"]) {
                $0.name
            },
            observeItems("list", holder.items, ["name"]) { $0.value / 5 },
            observeItems("scattered list", holder.items, ["name"], keyPaths: ["note"]) { $0.value % 4 },
            observeItems("set", holder.itemSet, ["value"]) { $0.name },
            observeItems("linking objects", target.linkedBy, ["value"]) { $0.name },
            observe("numbers", numbers, { Array(holder.numbers.sorted()) }, { $0 / 10 }) { $0 },
            observe(
                "scattered numbers", scattered, { Array(holder.numbers.sorted(ascending: false)) },
                { $0 % 4 }
            ) { $0 },
            observe("number set", numberSet, { Array(holder.numberSet.sorted()) }, { $0 / 7 }) { $0 },
        ]
    }

    private func check(_ observed: [Observed], _ step: Int) -> Bool {
        for one in observed {
            if let problem = one.problem() {
                XCTFail("step \(step), \(one.name): \(problem)")
                return false
            }
        }
        return true
    }

    private func makeHolder(_ realm: Realm, _ random: inout RandomSource) throws -> SectionsHolder {
        try realm.write {
            realm.deleteAll()
            for _ in 0...random.below(30) {
                let item = realm.create(SectionsItem.self)
                (item.mark, item.value, item.name) = (
                    random.below(1 << 40), random.below(30), "\(random.below(6))"
                )
            }
            return realm.create(SectionsHolder.self)
        }
    }

    func testEveryDeliveryAddsUp() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(Sanitizer.isPresent ? 1 : 4, within: 0.24) {
            let realm = try openRealm()
            let holder = try makeHolder(realm, &random)
            let observed = observeAll(realm, holder)
            realm.refresh()
            let other = OtherSectionsWriter(configuration)
            for step in 0..<TestEffort.count(25, full: 200) {
                for _ in 0...random.below(3) {
                    let edits = (0...random.below(5)).map { _ in SectionsEdit.random(&random) }
                    switch random.below(6) {
                    case 0, 1:
                        try realm.write { for edit in edits { edit.make(in: realm) } }
                    case 2:
                        realm.beginWrite()
                        for edit in edits { edit.make(in: realm) }
                        realm.cancelWrite()
                    case 3:
                        let silent = observed.filter { _ in random.chance(40) }
                        try realm.write(withoutNotifying: silent.flatMap(\.tokens)) {
                            for edit in edits { edit.make(in: realm) }
                        }
                        for one in silent { one.catchUp() }
                    default: try other.commit(edits)
                    }
                    // Sections that are read are brought up to date ahead of their observer.
                    for one in observed where random.chance(20) { _ = one.read() }
                }
                realm.refresh()
                guard check(observed, step) else { return }
            }
            for one in observed { XCTAssertGreaterThan(one.changeCount(), TestEffort.expected(10), one.name) }
        }
    }
}

/// A writer of the same data on a queue of its own.
private struct OtherSectionsWriter {
    private let queue = DispatchQueue(label: "other writer of sections")
    private let configuration: Realm.Configuration

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func commit(_ edits: [SectionsEdit]) throws {
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            try realm.write { for edit in edits { edit.make(in: realm) } }
        }
    }
}
