import Foundation
import Kivo
import XCTest

/// Functions that make the keys of sections: those of types, methods, closures in variables, also in generic code.
final class SectionFunctionTests: RealmTestCase {
    private enum Keys: SectionKeys {
        static func key(_ item: SectionsItem) -> String { String(item.name.prefix(1)) }
    }

    private enum NumberKeys: SectionKeys {
        static func key(_ number: Int) -> Int { number / 10 }
    }

    private func name(_ item: SectionsItem) -> String { item.name }

    private func filledRealm() throws -> (items: Results<SectionsItem>, numbers: List<Int>) {
        let realm = try openRealm()
        let holder = SectionsHolder(value: ["numbers": [21, 3, 12, 15]])
        try realm.write {
            for name in ["Bo", "Al", "Ann"] { realm.create(SectionsItem.self, value: ["name": name]) }
            realm.add(holder)
        }
        return (realm.objects(SectionsItem.self), holder.numbers)
    }

    func testFunctionsMethodsAndStoredClosures() throws {
        let (items, numbers) = try filledRealm()
        XCTAssertEqual(items.sectioned(by: Keys.key, sortDescriptors: ["name"]).allKeys, ["A", "B"])
        XCTAssertEqual(items.sectioned(by: firstLetter, sortDescriptors: ["name"]).allKeys, ["A", "B"])
        XCTAssertEqual(items.sectioned(by: name, sortDescriptors: ["name"]).allKeys, ["Al", "Ann", "Bo"])
        let stored: (SectionsItem) -> String = { $0.name }
        XCTAssertEqual(items.sectioned(by: stored, sortDescriptors: ["name"]).count, 3)
        let sendable: @Sendable (Int) -> Int = { $0 / 10 }
        XCTAssertEqual(numbers.sectioned(by: NumberKeys.key).allKeys, [0, 1, 2])
        XCTAssertEqual(numbers.sectioned(by: sendable, ascending: false).allKeys, [2, 1, 0])
        XCTAssertEqual(numbers.sectioned { $0 % 2 == 0 }.allKeys, [false, true])
        XCTAssertEqual(items.sectioned(by: \.name).allKeys, ["Al", "Ann", "Bo"])
    }

    func testGenericCode() throws {
        func keys<K: SectionKeys, C: RealmCollection>(_ type: K.Type, _ collection: C) -> [K.Key]
        where C.Element == K.Element {
            collection.sectioned(by: K.key).allKeys
        }
        let numbers = try filledRealm().numbers
        XCTAssertEqual(keys(NumberKeys.self, numbers), [0, 1, 2])
        XCTAssertEqual(keys(NumberKeys.self, AnyRealmCollection(numbers)), [0, 1, 2])
    }

    /// The keys of frozen sections are made where the function belongs, so that other threads find them.
    func testSectionsOfAFunctionThatStaysAreFrozenAndThawed() throws {
        let (items, numbers) = try filledRealm()
        var calls = 0
        let key: (Int) -> Int = { number in
            calls += 1
            return number / 10
        }
        let sections = numbers.sectioned(by: key)
        let frozen = SectionsCarrier(sections.freeze())
        XCTAssertEqual(calls, 4)
        try items.realm?.write { numbers.append(40) }
        try onAnotherThread { XCTAssertEqual(frozen.value.map { Array($0) }, [[3], [12, 15], [21]]) }
        XCTAssertEqual(calls, 4)
        XCTAssertEqual(frozen.value.thaw()?.allKeys, [0, 1, 2, 4])
        XCTAssertEqual(sections[1].freeze().key, 1)
        XCTAssertEqual(numbers.freeze().sectioned(by: key).thaw()?.count, 4)
    }

    /// Swift 5 does not check what is sendable, and chose between functions that are and that are not.
    func testTheSwift5LanguageMode() throws {
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        let source = """
            import Kivo
            protocol Keys {
                associatedtype Key: _Persistable & Hashable
                associatedtype Element: RealmCollectionValue
                static func key(_ element: Element) -> Key
            }
            enum Letters { static func key(_ text: String) -> String { String(text.prefix(1)) } }
            func letter(_ text: String) -> String { String(text.prefix(1)) }
            class Controller {
                func key(_ text: String) -> String { String(text.prefix(1)) }
                func run(_ words: List<String>) { _ = words.sectioned(by: key).count }
            }
            func run<K: Keys, C: RealmCollection>(_ keys: K.Type, _ collection: C) where C.Element == K.Element {
                _ = collection.sectioned(by: K.key).count
            }
            func run(_ words: List<String>) {
                let stored: (String) -> String = { $0 }
                _ = words.sectioned(by: Letters.key).count + words.sectioned(by: letter).count
                _ = words.sectioned(by: stored).count + words.sectioned { $0.lowercased() }.count
                _ = words.sectioned(by: stored, sortDescriptors: ["self"]).count
            }
            """
        for mode in ["5", "6"] {
            XCTAssertNil(try compiler.problems(inSource: source, mode: mode, warningsFail: true), mode)
        }
    }
}

/// A type that makes the keys of sections.
private protocol SectionKeys {
    associatedtype Key: _Persistable & Hashable
    associatedtype Element: RealmCollectionValue
    static func key(_ element: Element) -> Key
}

private func firstLetter(_ item: SectionsItem) -> String { String(item.name.prefix(1)) }

/// Frozen sections go anywhere, but their type does not say so.
private struct SectionsCarrier<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
