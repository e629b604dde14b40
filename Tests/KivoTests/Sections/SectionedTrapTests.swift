#if compiler(>=6.2)
import Dispatch
import Foundation
import Kivo
import Testing

/// Collections that cannot be put in sections, read or observed trap with a message.
struct SectionedTrapTests {
    @Test func anUnmanagedCollection() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SectionsHolder().items.sectioned(by: \.name)
        }
        try check(result, says: ["section", "unmanaged"])
    }

    @Test func noOrder() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try itemsInRealm().sectioned(by: { $0.name }, sortDescriptors: [])
        }
        try check(result, says: ["'sortDescriptors' is empty"])
    }

    @Test func theOrderOfAnotherProperty() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try itemsInRealm().sectioned(by: \.name, sortDescriptors: ["value"])
        }
        try check(result, says: ["'name'", "'value'", "first"])
    }

    @Test func aProjectionOfTwoProperties() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try #require(try itemsInRealm().realm)
            _ = realm.objects(SectionsPair.self).sectioned(by: \.both)
        }
        try check(result, says: ["one property to be ordered by", "section by a block"])
    }

    @Test func objectsInTheirOwnOrder() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try itemsInRealm().sectioned(by: { $0.name })
        }
        try check(result, says: ["no order of their own", "'sortDescriptors:'"])
    }

    @Test func indexesThatAreNotThere() async throws {
        let section = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try itemsInRealm().sectioned(by: \.name)[1]
        }
        try check(section, says: ["Index 1", "1 sections"])
        let row = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try itemsInRealm().sectioned(by: \.name)[0][2]
        }
        try check(row, says: ["Index 2", "'a'", "1 elements"])
        let path = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try itemsInRealm().sectioned(by: \.name)[IndexPath(indexes: [0, 0, 0])]
        }
        try check(path, says: ["two indexes"])
    }

    @Test func observingWhatDoesNotChange() async throws {
        let frozen = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try itemsInRealm().sectioned(by: \.name).freeze().observe { _ in }
        }
        try check(frozen, says: ["frozen"])
        let written = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let items = try itemsInRealm()
            items.realm?.beginWrite()
            items[0].name = "b"
            _ = items.sectioned(by: \.name).observe { _ in }
        }
        try check(written, says: ["write transaction that has made changes"])
    }

    @Test func anUnknownKeyPath() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try itemsInRealm().sectioned(by: \.name).observe(keyPaths: ["weight"]) { _ in }
        }
        try check(result, says: ["'weight'", "'SectionsItem'"])
    }

    @Test func sectionsOfAnotherThread() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let smuggled = Smuggled(try itemsInRealm().sectioned(by: \.name))
            try onAnotherThread { _ = smuggled.value.count }
        }
        try check(result, says: ["thread or queue it does not belong to"])
    }

    // An exit test takes values along since Swift 6.3.
    #if compiler(>=6.3)

    /// A block that is not sendable would run elsewhere. Frozen sections are evaluated before.
    @Test(arguments: 0..<4) func aBlockThatHasToStay(where place: Int) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [place] in
            let key: (SectionsItem) -> String = { $0.name }
            let sections = try itemsInRealm().sectioned(by: key, sortDescriptors: ["name"])
            switch place {
            case 0:
                let frozen = Smuggled(sections.freeze())
                try onAnotherThread { _ = frozen.value.thaw() }
            case 1:
                let frozen = Smuggled(sections[0].freeze())
                try onAnotherThread { _ = frozen.value.thaw() }
            case 2: _ = sections.observe(on: DispatchQueue(label: "elsewhere")) { _ in }
            default: _ = ThreadSafeReference(to: sections)
            }
        }
        try check(result, says: ["not '@Sendable'", "section by a key path"])
    }

    /// The block that makes keys only reads, and not the sections that need the keys.
    @Test(arguments: 0..<5, [false, true]) func aBlockThatDoesMore(_ use: Int, isObserved: Bool) async throws
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [use, isObserved] in
            let items = try itemsInRealm()
            let realm = try #require(items.realm)
            var sections: SectionedResults<String, SectionsItem>?
            var isArmed = !isObserved
            let key: (SectionsItem) -> String = { item in
                guard isArmed else { return item.name }
                switch use {
                case 0: item.note = "x"
                case 1: try? realm.write {}
                case 2: realm.invalidate()
                case 3: return "\(sections!.count)"
                default: return sections!.allKeys.joined()
                }
                return item.name
            }
            sections = items.sectioned(by: key, sortDescriptors: ["name"])
            let token = isObserved ? sections!.observe { _ in } : nil
            if isObserved { realm.refresh() }
            if use == 0, !isObserved { realm.beginWrite() }
            if isObserved {
                try realm.write { realm.create(SectionsItem.self, value: ["name": "b"]) }
                isArmed = true
                // A handler that is called before finds the write open in which the keys are made.
                if use == 0 { realm.beginWrite() } else { realm.refresh() }
            }
            print(sections!.count, token as Any)
        }
        let words = [
            ["Cannot", "inside of a block that makes the keys"], ["Cannot begin a write inside of a block"],
            ["Cannot invalidate a realm inside of a block"],
            ["read inside of the block that makes their keys"],
            ["read inside of the block that makes their keys"],
        ]
        try check(result, says: words[use])
    }

    #endif
}

/// Returns the results from which the tests above start, each in a process of its own.
private func itemsInRealm() throws -> Results<SectionsItem> {
    let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "trap"))
    try realm.write { realm.create(SectionsItem.self, value: ["name": "a"]) }
    return realm.objects(SectionsItem.self)
}
private final class SectionsPair: Projection<SectionsItem> {
    @Projected(\SectionsItem.name) var name
    @Projected(\SectionsItem.note) var note
    var both: String { name + note }
}
#endif
