import Foundation
import Kivo
import KivoTesting
import XCTest

/// Contents of sections, and the notifications of their listeners.
final class SectionedResultsTests: RealmTestCase {
    private typealias Sections = SectionedResults<String, SectionsItem>

    private func makeItems(_ realm: Realm, _ names: [String]) throws {
        try realm.write {
            for (value, name) in names.enumerated() {
                realm.create(SectionsItem.self, value: ["name": name, "value": value])
            }
        }
    }

    private func byLetter(_ realm: Realm) -> Sections {
        realm.objects(SectionsItem.self).sectioned(
            by: { String($0.name.prefix(1)) }, sortDescriptors: ["name", "value"])
    }

    private func contents<Key, T>(_ sections: SectionedResults<Key, T>, _ show: (T) -> String) -> [String] {
        sections.map { section in "\(section.key): \(section.map(show).joined(separator: " "))" }
    }

    private func names(_ sections: Sections) -> [String] { contents(sections) { $0.name } }

    private func words(_ change: SectionedResultsChange<some Any>) -> String {
        switch change {
        case .initial: return "initial"
        case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted):
            let paths = { (paths: [IndexPath]) in
                paths.map { "\($0.section).\($0.item)" }.joined(separator: " ")
            }
            return
                "-[\(paths(deletions))] +[\(paths(insertions))] ~[\(paths(modifications))]"
                + " -\(Array(deleted)) +\(Array(inserted))"
        }
    }

    /// The notifications of one observer.
    private final class Heard { var changes: [String] = [] }

    // MARK: Reading

    func testElementsWithEqualKeysAreOneSectionInTheOrderOfTheSort() throws {
        let realm = try openRealm()
        try makeItems(realm, ["bob", "anna", "cleo", "bert", "abel"])
        let sections = byLetter(realm)
        XCTAssertEqual(names(sections), ["a: abel anna", "b: bert bob", "c: cleo"])
        XCTAssertEqual(sections.allKeys, ["a", "b", "c"])
        XCTAssertEqual(sections.count, 3)
        XCTAssertEqual(sections[1].key, "b")
        XCTAssertEqual(sections[1].id, "b")
        XCTAssertEqual(sections[1][0].name, "bert")
        XCTAssertEqual(sections[IndexPath(item: 1, section: 0)].name, "anna")
        try realm.write { sections[2][0].name = "amy" }
        XCTAssertEqual(names(sections), ["a: abel amy anna", "b: bert bob"])
    }

    func testAKeyPathIsBothKeyAndOrder() throws {
        let realm = try openRealm()
        try makeItems(realm, ["x", "y", "x", "z"])
        let items = realm.objects(SectionsItem.self)
        let values = { (item: SectionsItem) in "\(item.value)" }
        XCTAssertEqual(contents(items.sectioned(by: \.name), values), ["x: 0 2", "y: 1", "z: 3"])
        XCTAssertEqual(
            contents(items.sectioned(by: \.name, ascending: false), values), ["z: 3", "y: 1", "x: 0 2"])
        let sorted = items.sectioned(
            by: \.name, sortDescriptors: ["name", Kivo.SortDescriptor(keyPath: "value", ascending: false)])
        XCTAssertEqual(contents(sorted, values), ["x: 2 0", "y: 1", "z: 3"])
    }

    func testSectionsWhoseElementsLieScatteredComeInTheOrderOfTheirFirst() throws {
        let realm = try openRealm()
        try makeItems(realm, ["b", "a", "b", "c", "a"])
        let sections = realm.objects(SectionsItem.self).sectioned(
            by: { $0.name }, sortDescriptors: [Kivo.SortDescriptor(keyPath: "value")])
        XCTAssertEqual(contents(sections) { "\($0.value)" }, ["b: 0 2", "a: 1 4", "c: 3"])
    }

    func testEveryCollectionHasSections() throws {
        let realm = try openRealm()
        try makeItems(realm, ["b", "a", "b"])
        let items = realm.objects(SectionsItem.self)
        let holder = try realm.write {
            let holder = realm.create(SectionsHolder.self)
            holder.items.append(objectsIn: [items[0], items[1], items[0]])
            holder.itemSet.insert(objectsIn: [items[0], items[1]])
            holder.numbers.append(objectsIn: [12, 3, 11, 3])
            holder.numberSet.insert(objectsIn: [12, 3, 11])
            items[1].link = items[0]
            items[2].link = items[0]
            return holder
        }
        XCTAssertEqual(contents(holder.items.sectioned(by: \.name)) { "\($0.value)" }, ["a: 1", "b: 0 0"])
        XCTAssertEqual(contents(holder.itemSet.sectioned(by: \.name)) { "\($0.value)" }, ["a: 1", "b: 0"])
        XCTAssertEqual(
            contents(items[0].linkedBy.sectioned(by: \.name)) { "\($0.value)" }, ["a: 1", "b: 2"])
        XCTAssertEqual(
            contents(holder.numbers.sectioned(by: { $0 / 10 })) { "\($0)" }, ["0: 3 3", "1: 11 12"])
        XCTAssertEqual(
            contents(holder.numberSet.sectioned(by: { $0 / 10 }, ascending: false)) { "\($0)" },
            ["1: 12 11", "0: 3"])
    }

    func testKeysCanBeOptionalAndNotEvenEqualToThemselves() throws {
        let realm = try openRealm()
        try makeItems(realm, ["a", "b", "c", "d"])
        let items = realm.objects(SectionsItem.self)
        try realm.write {
            items[0].ratio = 1
            items[1].ratio = .nan
            items[2].ratio = .nan
        }
        let sections = items.sectioned(by: \.ratio)
        let heard = Heard()
        let token = sections.observe { heard.changes.append(self.words($0)) }
        XCTAssertEqual(contents(sections) { $0.name }.sorted().count, 3)
        realm.refresh()
        XCTAssertEqual(sections.count, 3)
        try realm.write { items[2].ratio = nil }
        realm.refresh()
        XCTAssertEqual(sections.count, 3)
        XCTAssertEqual(sections.map(\.count), [2, 1, 1])
        token.invalidate()
    }

    func testASectionFollowsItsKeyAndIsInvalidatedWhenItIsGone() throws {
        let realm = try openRealm()
        try makeItems(realm, ["anna", "bob"])
        let sections = byLetter(realm)
        let section = sections[1]
        try realm.write { sections[0][0].name = "zoe" }
        XCTAssertEqual(section.key, "b")
        XCTAssertEqual(section.map(\.name), ["bob"])
        XCTAssertEqual(section, sections[0])
        try realm.write { section[0].name = "amy" }
        XCTAssertTrue(section.isInvalidated)
        XCTAssertEqual(section.count, 0)
        XCTAssertEqual(Array(section), [])
        try realm.write { realm.create(SectionsItem.self, value: ["name": "ben"]) }
        XCTAssertFalse(section.isInvalidated)
        XCTAssertEqual(section.map(\.name), ["ben"])
    }

    func testFrozenSectionsStayAsTheyWere() throws {
        let realm = try openRealm()
        try makeItems(realm, ["anna", "bob"])
        let sections = byLetter(realm)
        let (frozen, frozenSection) = (sections.freeze(), sections[1].freeze())
        XCTAssertTrue(frozen.isFrozen && frozenSection.isFrozen)
        XCTAssertFalse(sections.isFrozen)
        try realm.write { realm.objects(SectionsItem.self)[0].name = "ben" }
        XCTAssertEqual(names(sections), ["b: ben bob"])
        XCTAssertEqual(names(frozen), ["a: anna", "b: bob"])
        XCTAssertEqual(frozenSection.map(\.name), ["bob"])
        XCTAssertEqual(frozen.thaw().map(names), ["b: ben bob"])
        XCTAssertEqual(frozenSection.thaw()?.map(\.name), ["ben", "bob"])
        XCTAssertEqual(sections.realm, realm)
    }

    func testSectionsOfAListGoWithItsOwner() throws {
        let realm = try openRealm()
        try makeItems(realm, ["anna"])
        let holder = try realm.write {
            realm.create(SectionsHolder.self, value: ["items": Array(realm.objects(SectionsItem.self))])
        }
        let sections = holder.items.sectioned(by: \.name)
        let heard = Heard()
        let token = sections.observe { heard.changes.append(self.words($0)) }
        realm.refresh()
        XCTAssertFalse(sections.isInvalidated)
        try realm.write { realm.delete(holder) }
        realm.refresh()
        XCTAssertFalse(sections.isInvalidated)
        XCTAssertEqual(sections.count, 0)
        XCTAssertEqual(sections.freeze().count, 0)
        XCTAssertEqual(heard.changes, ["initial", "-[] +[] ~[] -[0] +[]"])
        token.invalidate()
    }

    // MARK: Listening

    func testAnElementThatChangesItsSectionIsDeletedInOneAndInsertedInTheOther() throws {
        let realm = try openRealm()
        try makeItems(realm, ["abel", "anna", "bob", "cleo"])
        let sections = byLetter(realm)
        let heard = Heard()
        let token = sections.observe { heard.changes.append(self.words($0)) }
        realm.refresh()
        try realm.write { sections[0][1].name = "bert" }
        realm.refresh()
        try realm.write { sections[2][0].name = "dora" }
        realm.refresh()
        try realm.write { sections[1][1].note = "x" }
        realm.refresh()
        XCTAssertEqual(
            heard.changes,
            [
                "initial", "-[0.1] +[1.0] ~[] -[] +[]", "-[] +[2.0] ~[] -[2] +[2]",
                "-[] +[] ~[1.1] -[] +[]",
            ])
        token.invalidate()
    }

    func testASectionWhoseLastRowGoesReportsOnlyThatItIsDeleted() throws {
        let realm = try openRealm()
        try makeItems(realm, ["anna", "bob", "cleo"])
        let sections = byLetter(realm)
        let all = Heard()
        let one = Heard()
        let tokens = [
            sections.observe { all.changes.append(self.words($0)) },
            sections[1].observe { one.changes.append(self.words($0)) },
        ]
        realm.refresh()
        try realm.write { realm.delete(sections[1][0]) }
        realm.refresh()
        try realm.write { realm.create(SectionsItem.self, value: ["name": "bea"]) }
        realm.refresh()
        try realm.write { sections[0][0].note = "not in the section" }
        realm.refresh()
        XCTAssertEqual(
            all.changes,
            ["initial", "-[] +[] ~[] -[1] +[]", "-[] +[1.0] ~[] -[] +[1]", "-[] +[] ~[0.0] -[] +[]"])
        XCTAssertEqual(one.changes, ["initial", "-[] +[] ~[] -[1] +[]", "-[] +[1.0] ~[] -[] +[1]"])
        for token in tokens { token.invalidate() }
    }

    func testIndexPathsOfAnObservedSectionHoldItsIndexAmongAll() throws {
        let realm = try openRealm()
        try makeItems(realm, ["bob", "cleo", "cora"])
        let sections = byLetter(realm)
        let heard = Heard()
        let token = sections[1].observe { heard.changes.append(self.words($0)) }
        realm.refresh()
        try realm.write { realm.create(SectionsItem.self, value: ["name": "anna"]) }
        realm.refresh()
        try realm.write {
            realm.delete(sections[2][0])
            sections[2][0].note = "x"
        }
        realm.refresh()
        try realm.write {
            realm.delete(sections[0][0])
            sections[1][0].name = "carl"
            realm.create(SectionsItem.self, value: ["name": "carla"])
        }
        realm.refresh()
        XCTAssertEqual(
            heard.changes,
            ["initial", "-[2.0] +[] ~[2.1] -[] +[]", "-[] +[1.1] ~[2.0] -[] +[]"])
        token.invalidate()
    }

    func testKeyPathFiltersDoNotSilenceAChangeOfSection() throws {
        let realm = try openRealm()
        try makeItems(realm, ["anna", "bob"])
        let sections = byLetter(realm)
        let (named, typed) = (Heard(), Heard())
        let tokens = [
            sections.observe(keyPaths: ["note"]) { named.changes.append(self.words($0)) },
            sections.observe(keyPaths: [\SectionsItem.note]) { typed.changes.append(self.words($0)) },
        ]
        realm.refresh()
        try realm.write { sections[0][0].name = "anna" }
        realm.refresh()
        try realm.write { sections[0][0].name = "amy" }
        realm.refresh()
        try realm.write { sections[0][0].value = 9 }
        realm.refresh()
        XCTAssertEqual(named.changes, ["initial"], "equal, in its place, and not observed")
        try realm.write { sections[0][0].name = "ben" }
        realm.refresh()
        try realm.write { sections[0][0].note = "observed" }
        realm.refresh()
        XCTAssertEqual(named.changes, ["initial", "-[] +[0.0] ~[] -[0] +[]", "-[] +[] ~[0.0] -[] +[]"])
        XCTAssertEqual(typed.changes, named.changes)
        for token in tokens { token.invalidate() }
    }

    func testAKeyBehindALinkFollowsTheLinkedObject() throws {
        let realm = try openRealm()
        try makeItems(realm, ["anna", "bob", "cleo"])
        let items = realm.objects(SectionsItem.self)
        try realm.write { items[0].link = items[2] }
        let sections = items.where { $0.value < 2 }
            .sectioned(by: { $0.link?.name ?? "-" }, sortDescriptors: ["value"])
        let heard = Heard()
        let token = sections.observe(keyPaths: ["note"]) { heard.changes.append(self.words($0)) }
        realm.refresh()
        XCTAssertEqual(sections.allKeys, ["cleo", "-"])
        try realm.write { items[2].name = "dora" }
        realm.refresh()
        XCTAssertEqual(sections.allKeys, ["dora", "-"])
        XCTAssertEqual(heard.changes, ["initial", "-[] +[0.0] ~[] -[0] +[0]"])
        token.invalidate()
    }

    func testOnlyElementsThatChangedAreAskedForTheirKey() throws {
        let realm = try openRealm()
        try makeItems(realm, (0..<500).map { "\($0 % 7)" })
        var calls = 0
        let key: (SectionsItem) -> String = { item in
            calls += 1
            return item.name
        }
        let sections = realm.objects(SectionsItem.self).sectioned(
            by: key, sortDescriptors: ["name", "value"])
        let heard = Heard()
        let token = sections.observe { heard.changes.append(self.words($0)) }
        // In the following of a small view debug builds ask for every key again.
        try realm.write {
            for _ in 0..<1000 { realm.create(SectionsItem.self, value: ["name": "x"]) }
        }
        realm.refresh()
        calls = 0
        try realm.write { realm.objects(SectionsItem.self)[3].name = "2" }
        realm.refresh()
        XCTAssertEqual(calls, 1)
        XCTAssertEqual(sections[2].count, 73)
        XCTAssertEqual(calls, 1, "what is observed is not evaluated anew")
        token.invalidate()
    }

    func testSectionsAreReadBeforeTheirObserverIsTold() throws {
        let realm = try openRealm()
        try makeItems(realm, ["abel", "anna", "bob"])
        let sections = byLetter(realm)
        let table = SectionedTable()
        let heard = Heard()
        let token = sections.observe {
            table.table.apply($0)
            heard.changes.append(self.words($0))
        }
        realm.refresh()
        try realm.write { sections[0][0].name = "carl" }
        XCTAssertEqual(names(sections), ["a: anna", "b: bob", "c: carl"], "the view is ahead")
        try writeElsewhere { writer in
            writer.objects(SectionsItem.self).where { $0.name == "anna" }.first?.name = "abby"
            writer.objects(SectionsItem.self).where { $0.name == "bob" }.first.map(writer.delete)
        }
        realm.refresh()
        XCTAssertEqual(heard.changes, ["initial", "-[0.0] +[1.0] ~[0.1] -[1] +[1]"])
        XCTAssertEqual(table.table.problems, [])
        token.invalidate()
    }

    func testProjectionsInSections() throws {
        let realm = try openRealm()
        try makeItems(realm, ["bob", "anna", "abby"])
        let cards = realm.objects(SectionsCard.self)
        let words = { (sections: SectionedResults<String, SectionsCard>) in
            sections.map { "\($0.key): " + $0.map(\.title).joined(separator: " ") }
        }
        XCTAssertEqual(words(cards.sectioned(by: \.letter)), ["a: abby anna", "b: bob"])
        XCTAssertEqual(
            words(cards.sectioned(by: \.title, ascending: false)), ["bob: bob", "anna: anna", "abby: abby"])
        XCTAssertEqual(
            words(cards.sectioned(by: \.letter, sortDescriptors: ["name"])), ["a: abby anna", "b: bob"])
        let byBlock = cards.sectioned(by: { $0.letter.uppercased() }, sortDescriptors: ["name"])
        XCTAssertEqual(words(byBlock), ["A: abby anna", "B: bob"])
        var heard = 0
        let token = byBlock.observe(keyPaths: ["name"]) { _ in heard += 1 }
        realm.refresh()
        try realm.write { cards[0].title = "cleo" }
        realm.refresh()
        XCTAssertEqual(heard, 2)
        XCTAssertEqual(words(byBlock), ["A: abby anna", "C: cleo"])
        token.invalidate()
        let numbers = try realm.write { realm.create(SectionsHolder.self, value: ["numbers": [3, 1, 2]]) }
            .numbers
        let odd = numbers.sectioned(
            by: { $0 % 2 }, sortDescriptors: [SortDescriptor(keyPath: "self", ascending: false)])
        XCTAssertEqual(odd.map { Array($0) }, [[3, 1], [2]])
    }

    func testObserversOnAQueueAreToldThere() throws {
        let realm = try openRealm()
        try makeItems(realm, ["anna", "bob"])
        let queue = DispatchQueue(label: "sections")
        let told = Shared<[Int]>([])
        let token = byLetter(realm).observe(on: queue) { change in
            dispatchPrecondition(condition: .onQueue(queue))
            switch change {
            case .initial(let sections), .update(let sections, _, _, _, _, _):
                let count = sections.count
                told.update { $0.append(count) }
            }
        }
        wait("the first call") { told.value.count == 1 }
        try realm.write { realm.create(SectionsItem.self, value: ["name": "cleo"]) }
        wait("the update") { told.value.count == 2 }
        XCTAssertEqual(told.value, [2, 3])
        token.invalidate()
    }

    func testTheInstanceHandedToTheBlockIsTheObservedOne() throws {
        let realm = try openRealm()
        try makeItems(realm, ["anna"])
        let sections = byLetter(realm)
        XCTAssertNotEqual(sections, byLetter(realm), "separate sections of equal contents")
        var seen: [Sections] = []
        let token = sections.observe { change in
            switch change {
            case .initial(let sections), .update(let sections, _, _, _, _, _): seen.append(sections)
            }
        }
        realm.refresh()
        try realm.write { sections[0][0].note = "x" }
        realm.refresh()
        XCTAssertEqual(seen, [sections, sections])
        token.invalidate()
    }
}

/// A table of sections of items by letter.
final class SectionedTable {
    let table = SectionedUpdateTable<String, SectionsItem, String> { "\($0.name) \($0.value) \($0.note)" }
}

private final class SectionsCard: Projection<SectionsItem> {
    @Projected(\SectionsItem.name) var title
    var letter: String { String(title.prefix(1)) }
}
