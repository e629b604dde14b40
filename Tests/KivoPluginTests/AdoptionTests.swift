import Foundation
import TestRandomness
import XCTest

@testable import KivoAdoptTool
@testable import KivoSourceModel

final class AdoptionTests: XCTestCase {
    /// What becomes of the fixtures is built and tested in a target of its own; nothing is left to be done there.
    func testFixturesBecomeWhatIsBuilt() throws {
        let after = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("KivoAdoptedTests/Models")
        let names = ["Podcasts", "Chat", "FileSync", "Health", "Shop", "Operations", "Player"]
        for name in TestEffort.sample(names, 3) {
            let before = try Fixture.source("Adopt/\(name).swift")
            let expected = try String(
                contentsOf: after.appendingPathComponent("\(name).swift"), encoding: .utf8)
            let found = try Fixture.adopt([before])
            XCTAssertEqual(found.texts, [expected], UnifiedDiff.diff(expected, found.texts[0], path: name))
            let again = try Fixture.adopt([SourceText(path: name, expected)])
            XCTAssertEqual(again.texts, [expected])
            XCTAssertEqual(again.left, [])
        }
    }

    func testNothingIsChangedInOtherSources() throws {
        for text in [
            "import Foundation\nclass A: NSObject { var a = 0; override init() { super.init() } }\n",
            "import KivoObserving\nclass A: KeyValueObservable { @Observed var a = 0; var b = 0 }\n",
            "let a = \"import RealmSwift\" // import RealmSwift\n", "",
            "import Kivo\nclass A: Object { @Persisted var a: Int; var value: Int { a } }\nlet b = A().a\n",
        ] {
            let (found, left) = try Fixture.adopt(text)
            XCTAssertEqual(found, text)
            XCTAssertEqual(left, [])
        }
    }

    func testValueOfOtherThingsStays() throws {
        let (text, left) = try Fixture.adopt(
            """
            import RealmSwift
            class Dog: Object { let age = RealmOptional<Int>(); let count = RealmOptional<Int>() }
            struct Box { var count: Wrapped }
            func f(_ dog: Dog, _ box: Box, _ any: Unknown) {
                print(dog.age.value, box.count.value, dog.count.value, any.age.value, any.count.value)
            }
            """)
        XCTAssertTrue(
            text.contains("print(dog.age, box.count.value, dog.count, any.age, any.count.value)"), text)
        XCTAssertEqual(left.count, 1, "\(left)")
        XCTAssertTrue(left.allSatisfy { $0.hasPrefix("5: if 'count' is what was") }, "\(left)")
    }

    func testWhatIsLeftIsListed() throws {
        let text = """
            import Foundation
            import Realm
            import RealmSwift
            class Dog: Object {
                @objc dynamic var name = ""
                @objc dynamic var tags: [String] = []
                let owners = LinkingObjects(fromType: Person.self, property: ownersName)
                override class func primaryKey() -> String? { keyName() }
                @objc func bark() {}
            }
            func f(_ realm: Realm) throws {
                let predicate = NSPredicate(format: "name = %@", "x")
                _ = realm.objects(Dog.self).filter(predicate)
                _ = Realm.Configuration(encryptionKey: nil)
                _ = App(id: "x")
                _ = #keyPath(UIView.frame)
                _ = RLMRealm.default()
            }
            """
        let (found, left) = try Fixture.adopt(text)
        XCTAssertEqual(
            left.map { Int($0.prefix { $0 != ":" }) }, [2, 6, 7, 8, 9, 14, 15, 16, 17], "\(left)")
        for line in text.split(separator: "\n").dropFirst(5) {
            XCTAssertTrue(found.contains(line), "changed: \(line)")
        }
        XCTAssertTrue(found.contains("@Persisted var name"))
    }

    func testExtensionsOfModelsAndOtherClassesWithTheSameNames() throws {
        let (text, left) = try Fixture.adopt(
            """
            import RealmSwift
            class Item: Object { let group = RealmOptional<Int>() }
            class Product { var group: Int? }
            extension Item {
                func set(_ other: Item?) { group.value = 3; self.group.value = other?.group.value }
                var text: String { if let some = group.value { "\\(some)" } else { #keyPath(group) } }
                struct Part { let group = Box(); func use() { print(group.value) } }
            }
            func f(_ product: Product, _ item: Item) { item.group.value = product.group; print(product.group) }
            """)
        XCTAssertEqual(
            text,
            """
            import Kivo
            class Item: Object { @Persisted var group: Int? }
            class Product { var group: Int? }
            extension Item {
                func set(_ other: Item?) { group = 3; self.group = other?.group }
                var text: String { if let some = group { "\\(some)" } else { "group" } }
                struct Part { let group = Box(); func use() { print(group.value) } }
            }
            func f(_ product: Product, _ item: Item) { item.group = product.group; print(product.group) }
            """)
        XCTAssertEqual(left, [])
    }

    /// Protocols of Objective-C to which models conform become protocols of Swift for objects.
    func testProtocolsOfModels() throws {
        let (text, left) = try Fixture.adopt(
            """
            import RealmSwift
            @objc
            public protocol Base { @objc var id: String? { get set } }
            @objc(KNNamed) protocol Named: Base { func bark(); @objc func name() -> String }
            @objc protocol Loose: NSObjectProtocol { var size: Int { get } }
            @objc protocol Wishing { @objc optional func wish() }
            @objc protocol Unused { func use() }
            class Dog: Object, Named, Wishing { @objc dynamic var id: String?; func bark() {}; func name() -> String { "" } }
            extension Dog: Loose { var size: Int { 1 } }
            class Preview: Base {
                var id: String?
                @objc func bark() {}
            }
            """)
        XCTAssertEqual(
            text,
            """
            import Foundation
            import Kivo
            public protocol Base: AnyObject { var id: String? { get set } }
            protocol Named: Base { func bark(); func name() -> String }
            protocol Loose: NSObjectProtocol { var size: Int { get } }
            @objc protocol Wishing { @objc optional func wish() }
            @objc protocol Unused { func use() }
            class Dog: Object, Named, Wishing { @Persisted var id: String?; func bark() {}; func name() -> String { "" } }
            extension Dog: Loose { var size: Int { 1 } }
            class Preview: Base {
                var id: String?
                @objc func bark() {}
            }
            """)
        XCTAssertEqual(
            left.sorted(),
            [
                "12: '@objc' in class 'Preview' needs the Objective-C runtime: remove it if nothing of Objective-C uses it",
                "6: '@objc' protocol 'Wishing' has optional requirements, which need the Objective-C runtime: implement them in an extension",
                "7: '@objc' in protocol 'Unused' needs the Objective-C runtime: remove it if nothing of Objective-C uses it",
            ])
    }

    /// The product RealmSwift has predicates of Foundation, and all of Kivo.
    func testAFileWithPredicatesKeepsItsImport() throws {
        let kept = """
            import RealmSwift
            class Dog: Object { @Persisted var name = "" }
            func f(_ realm: Realm, _ any: NSPredicate) -> RealmSwift.Results<Dog> {
                autoreleasepool { realm.objects(RealmSwift.Dog.self).filter(any) }
            }
            """
        let (text, left) = try Fixture.adopt(
            kept.replacingOccurrences(of: "@Persisted", with: "@objc dynamic"))
        XCTAssertEqual(text, kept)
        XCTAssertEqual(left, [])
        let (other, none) = try Fixture.adopt(
            """
            import RealmSwift
            func f(_ dogs: Results<Dog>) { _ = dogs.filter(NSPredicate(format: "age > %d", 5)) }
            """)
        XCTAssertEqual(
            other,
            """
            import Kivo
            func f(_ dogs: Results<Dog>) { _ = dogs.filter("age > %d", 5) }
            """)
        XCTAssertEqual(none, [])
    }

    func testNamesOfObjectiveCStayInFiles() throws {
        let (text, left) = try Fixture.adopt(
            """
            import RealmSwift
            @objc(CRMCustomer) public final class Customer: Object {
                @objc dynamic var name = ""
            }
            @objc(Same) class Same: Object { @objc dynamic var name = "" }
            @objc(OldBase) class Base: Object { @objc dynamic var name = "" }
            class Derived: Base { @objc dynamic var size = 0 }
            @objc(Ignored) class Named: Object {
                @objc dynamic var name = ""
                override class func _realmObjectName() -> String? { "Chosen" }
            }

            """)
        XCTAssertTrue(
            text.contains(
                """
                public final class Customer: Object {
                    public override class func _realmObjectName() -> String? { "CRMCustomer" }

                    @Persisted var name = ""
                """), text)
        XCTAssertEqual(text.components(separatedBy: "_realmObjectName").count, 3, text)
        XCTAssertEqual(left.count, 1, "\(left)")
        XCTAssertTrue(
            left[0].hasPrefix("6: class 'Base' was stored under the name in '@objc(OldBase)'"), "\(left)")
    }

    /// The result of adopting classes with `@objc dynamic` properties compiles outside of Apple's platforms.
    func testClassesOfCocoaBecomeObservable() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            import Dispatch
            @objc enum Unit: Int { case metric, imperial }
            @objcMembers class Base: NSObject {
                dynamic var a = 0
                @objc dynamic var unit: Unit
                @objc dynamic var next: Base?
                @objc dynamic private(set) var parts: [String: [Date]] = [:] { didSet { a += 1 } }
                @objc dynamic var x = 0.0, y: Double?
                let number: Int
                init(a: Int) {
                    self.a = a
                    unit = .metric
                    number = 1
                    super.init()
                }
                override convenience init() { self.init(a: 1) }
                override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
                    key == "a" ? false : super.automaticallyNotifiesObservers(forKey: key)
                }
                override func setValue(_ value: Any?, forUndefinedKey key: String) {}
                func path() -> String { #keyPath(Base.next.unit) }
            }
            class Child: Base {
                @objc dynamic var b = 0
                @objc dynamic var sum: Int { a + b }
                override init(a: Int) { b = a; super.init(a: a + 1) }
                override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                    super.keyPathsForValuesAffectingValue(forKey: key).union(key == "sum" ? ["a", "b"] : [])
                }
            }
            final class Load: Operation, @unchecked Sendable {
                @objc dynamic var fraction = 0.0
                @objc dynamic var percent: Double { fraction * 100 }
                override init() { super.init() }
                override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                    var keys = super.keyPathsForValuesAffectingValue(forKey: key)
                    keys.insert("fraction")
                    return keys
                }
                override var isAsynchronous: Bool { true }
            }
            class Worker: Formatter { @objc dynamic var done = 0 }
            class Generic<T>: NSObject { @objc dynamic var value: T; init(value: T) { self.value = value } }
            class Bare { @objc dynamic var a = 0 }
            protocol Named {}
            class Model: Named { @objc dynamic var a: Int? }
            class Mirror: NSObject {
                @objc dynamic var a = 0
                override func observeValue(
                    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                    context: UnsafeMutableRawPointer?
                ) { a += 1 }
            }
            class Equal: NSObject {
                @objc dynamic var a = 0
                override func isEqual(_ object: Any?) -> Bool { true }
            }
            class Member: NSObject { @objc dynamic var a = 0 }
            func follow(_ child: Child, _ load: Load, _ mirror: Mirror) {
                let token = child.observe(\\.sum, options: .new) { _, _ in }
                child.addObserver(mirror, forKeyPath: #keyPath(Child.sum), options: [], context: nil)
                load.addObserver(mirror, forKeyPath: "percent", options: [], context: nil)
                let members: Set<Member> = []
                withExtendedLifetime((token, members)) {}
            }

            """)
        XCTAssertEqual(left.compactMap { Int($0.prefix { $0 != ":" }) }, [8, 55, 59], "\(left)")
        if let problems = try Fixture.problems(inSource: text) { XCTFail("\(problems)\n\(text)") }
        for part in [
            "import Dispatch\nimport KivoObserving\nenum Unit: Int {", "class Base: KeyValueObservable {\n",
            "class func computedProperties() -> [String: AnyKeyPath] { [:] }", "var next: Base? = nil\n",
            "    @Observed var x = 0.0\n    @Observed var y: Double? = nil\n", "{ \"next.unit\" }",
            "override class func computedProperties() -> [String: AnyKeyPath] {\n        super.computedProperties()",
            "class Load: KeyValueOperation, @unchecked Sendable",
            "class Bare: KeyValueObservable",
            "class Model: Named, KeyValueObservable", "class Mirror: KeyValueObservable, KeyValueObserver",
            "class Equal: NSObject, KeyValueObservable", "class Member: NSObject, KeyValueObservable",
        ] {
            XCTAssertTrue(text.contains(part), "\(part) is not in:\n\(text)")
        }
        let again = try Fixture.adopt(text)
        XCTAssertEqual(again.text, text)
    }

    func testWhatCocoaHasAloneIsListed() throws {
        let text = """
            import Foundation
            class ViewController: UIViewController { @objc dynamic var a = 0 }
            class Detail: ViewController { @objc dynamic var b = 0 }

            """
        let (found, left) = try Fixture.adopt(text)
        XCTAssertEqual(found, text)
        XCTAssertEqual(left.compactMap { Int($0.prefix { $0 != ":" }) }, [2, 3], "\(left)")
        let lost = try Fixture.adopt(
            """
            class Lost: NSObject {
                @objc dynamic lazy var a = 0
                @objc dynamic var b = 0
                override func setNilValueForKey(_ key: String) { super.setNilValueForKey(key) }
                @objc func called() {}
            }
            class Sub: Lost { override func value(forUndefinedKey key: String) -> Any? { nil } }

            """)
        XCTAssertEqual(lost.left.compactMap { Int($0.prefix { $0 != ":" }) }, [2, 5], "\(lost.left)")
        XCTAssertTrue(lost.text.contains("class Lost: KeyValueObject {"), lost.text)
    }

    func testImports() throws {
        XCTAssertEqual(try Fixture.adopt("@_exported import RealmSwift\n").text, "@_exported import Kivo\n")
        XCTAssertEqual(
            try Fixture.adopt("import class RealmSwift.Object\n").text, "import class Kivo.Object\n")
        XCTAssertEqual(try Fixture.adopt("import Kivo\nimport RealmSwift\n").text, "import Kivo\n")
        XCTAssertEqual(
            try Fixture.adopt("import RealmSwift\nlet a: RealmSwift.List<RealmSwift.ObjectId>? = nil\n").text,
            "import Kivo\nlet a: Kivo.List<Kivo.ObjectId>? = nil\n")
    }

    func testAllBranchesOfConditionsAreRewritten() throws {
        let (text, _) = try Fixture.adopt(
            """
            import RealmSwift
            class A: Object {
                #if os(iOS)
                @objc dynamic var a = 0
                #else
                @objc dynamic var b = 0
                #endif
            }
            """)
        XCTAssertTrue(
            text.contains("#if os(iOS)\n    @Persisted var a = 0\n    #else\n    @Persisted var b = 0"), text)
    }

    func testFilesAreWrittenOnlyWhenAsked() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent("A.swift")
        try "import RealmSwift\n".write(to: file, atomically: true, encoding: .utf8)
        let compiler = try XCTUnwrap(ParserDump.installedCompiler())
        var products = ["Kivo"]
        func run(_ arguments: String...) throws -> String {
            try AdoptTool.run(
                AdoptOptions(
                    arguments + ["--package", directory.path, "--module", "App"]
                        + products.flatMap { ["--product", $0] } + ["--source", file.path]), compiler)
        }
        XCTAssertEqual(
            try run("--dry-run"),
            "--- a/A.swift\n+++ b/A.swift\n@@ -1 +1 @@\n-import RealmSwift\n+import Kivo\n")
        XCTAssertEqual(try String(contentsOf: file, encoding: .utf8), "import RealmSwift\n")
        XCTAssertEqual(try run(), "Rewrote A.swift\n")
        XCTAssertEqual(try String(contentsOf: file, encoding: .utf8), "import Kivo\n")
        XCTAssertEqual(try run(), "There is nothing to rewrite.\n")

        // A target that lacks a product does not compile, whatever is in its files.
        try "import RealmSwift\nfunc f() { autoreleasepool {} }\n".write(
            to: file, atomically: true, encoding: .utf8)
        products = []
        let said = try run("--kivo", "kivo")
        XCTAssertTrue(
            said.contains(
                """
                Left for you:
                  Package.swift: target 'App' has to depend on the product 'Kivo': .product(name: "Kivo", package: "kivo")
                  Package.swift: target 'App' has to depend on the product 'RealmSwift' if its files are to import RealmSwift: \
                .product(name: "RealmSwift", package: "kivo")
                  A.swift:2: 'autoreleasepool'
                """), said)
        try "class A: NSObject { @objc dynamic var a = 0 }\n".write(
            to: file, atomically: true, encoding: .utf8)
        XCTAssertTrue(try run().contains("has to depend on the product 'KivoObserving'"))
        XCTAssertThrowsError(try AdoptOptions(["--source", "A.swift"]))
    }
}
