import Foundation
import XCTest

@testable import KivoAdoptTool
@testable import KivoSourceModel

/// Rewritten classes of Cocoa notify their observers as before, or are listed.
final class ObservedAdoptionTests: XCTestCase {
    private func lines(_ left: [String]) -> [Int] { left.compactMap { Int($0.prefix { $0 != ":" }) } }

    func testImportsStayOutOfConditions() throws {
        let (text, _) = try Fixture.adopt(
            """
            // A comment.
            #if os(iOS)
            import UIKitCore
            #else
            import Glibc
            #endif

            class A: NSObject { @objc dynamic var a = 0 }
            """)
        XCTAssertTrue(
            text.hasPrefix("// A comment.\nimport KivoObserving\n\n#if os(iOS)\nimport UIKitCore\n#else"),
            text)
        let (later, _) = try Fixture.adopt(
            """
            import Foundation // of all platforms
            #if os(Linux)
            import Glibc
            #endif
            class A: NSObject { @objc dynamic var a = 0 }
            """)
        XCTAssertTrue(
            later.hasPrefix("import Foundation // of all platforms\nimport KivoObserving\n#if os(Linux)\n"),
            later)
    }

    /// A constant needs no wrapper, and stays one.
    func testConstantsStay() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            class Line: NSObject {
                @objc dynamic let text: String
                @objc dynamic var width = 0
                init(text: String) { self.text = text; super.init() }
            }
            """)
        XCTAssertTrue(text.contains("class Line: KeyValueObservable {\n    let text: String\n"), text)
        XCTAssertEqual(left, [])
    }

    func testSettersThatAnnounceThemselves() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            class Gauge: NSObject {
                private var stored = 0
                @objc dynamic var twice: Int {
                    get { stored }
                    set { willChangeValue(forKey: "twice"); stored = newValue; didChangeValue(forKey: "twice") }
                }
                @objc dynamic var maybe: Int { get { stored } set { stored = newValue } }
                @objc dynamic var automatic: Int { get { stored } set { stored = newValue } }
                @objc var byHand: Int {
                    get { stored }
                    set { willChangeValue(forKey: "byHand"); stored = newValue; didChangeValue(forKey: "byHand") }
                }
                override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
                    key == "maybe" ? unknown() : super.automaticallyNotifiesObservers(forKey: key)
                }
            }
            class Never: NSObject {
                private var stored = 0
                @objc dynamic var value: Int { get { stored } set { stored = newValue } }
                override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }
            }
            """)
        XCTAssertEqual(lines(left), [4, 8], "\(left)")
        XCTAssertEqual(text.components(separatedBy: "defer {").count, 2, text)
        XCTAssertTrue(
            text.contains(
                "var automatic: Int { get { stored } set { willChangeValue(forKey: \"automatic\"); defer { didChangeValue(forKey: \"automatic\") }; stored = newValue } }"
            ), text)
        XCTAssertTrue(text.contains("\"byHand\": \\Gauge.byHand"), text)
    }

    /// Overrides: the setter of the superclass announces, if it is called.
    func testOverriddenSetters() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            class Base: NSObject { @objc dynamic var size = 0 }
            class Calling: Base { @objc dynamic override var size: Int { get { 1 } set { super.size = newValue } } }
            class Other: Base { @objc dynamic override var size: Int { get { 1 } set { print(newValue) } } }
            class Job: Operation {
                var isOver = false
                @objc dynamic override var isFinished: Bool { get { isOver } set { isOver = newValue } }
            }
            """)
        XCTAssertEqual(lines(left), [3, 4], "\(left)")
        XCTAssertEqual(text.components(separatedBy: "willChangeValue").count, 2, text)
        XCTAssertTrue(
            text.contains(
                "set { willChangeValue(forKey: \"size\"); defer { didChangeValue(forKey: \"size\") }; print"))
    }

    func testPropertyObserversAreListed() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            class Slider: NSObject {
                @objc dynamic var value = 0 { didSet { if value > 10 { value = 10 } } }
                @objc dynamic var step = 1 { willSet { print(newValue) } }
                @objc dynamic var name = ""
            }
            """)
        XCTAssertEqual(lines(left), [3, 4], "\(left)")
        XCTAssertTrue(
            left[0].contains("'didSet' of 'Slider.value' runs after observers were notified"), left[0])
        XCTAssertTrue(
            left[0].contains("set { willChangeValue(forKey: \"value\"); stored = newValue"), left[0])
        XCTAssertTrue(text.contains("@Observed var value = 0 { didSet"), text)
    }

    func testUsesOfFoundationAreListed() throws {
        let (_, left) = try Fixture.adopt(
            """
            import Foundation
            extension UserDefaults { @objc dynamic var theme: String? { string(forKey: "theme") } }
            class Watcher: NSObject {
                let progress = Progress(totalUnitCount: 5)
                var task: URLSessionDataTask?
                let own = Own()
                func watch(_ defaults: UserDefaults, _ queue: OperationQueue, _ unknown: Unknown) {
                    UserDefaults.standard.addObserver(self, forKeyPath: "theme", options: [], context: nil)
                    _ = defaults.observe(\\.theme) { _, _ in }
                    _ = progress.observe(\\.fractionCompleted) { _, _ in }
                    task?.addObserver(self, forKeyPath: "state", options: [], context: nil)
                    let load = URLSession.shared.downloadTask(with: url)
                    load.addObserver(self, forKeyPath: "progress", options: [], context: nil)
                    _ = queue.observe(\\.operationCount) { _, _ in }
                    _ = own.observe(\\.a) { _, _ in }
                    _ = own.observe(5)
                    unknown.addObserver(self, forKeyPath: "a", options: [], context: nil)
                }
            }
            class Own: NSObject { @objc dynamic var a = 0 }
            """)
        XCTAssertEqual(lines(left), [2, 8, 9, 10, 11, 13, 14], "\(left)")
        XCTAssertTrue(left[0].contains("'theme' of 'UserDefaults' cannot be observed"), left[0])
        XCTAssertTrue(left[1].contains("'addObserver' of 'UserDefaults': Foundation's own classes"), left[1])
    }

    func testRulesOfSingleKeysBesideTheFunctionForAll() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            class Person: NSObject {
                @objc dynamic var name = ""
                @objc dynamic var title: String { name }
                @objc dynamic var URL: String { name }
                @objc class func keyPathsForValuesAffectingTitle() -> Set<String> { ["name"] }
                @objc class func keyPathsForValuesAffectingURL() -> NSSet { NSSet(array: ["name"]) }
                override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                    super.keyPathsForValuesAffectingValue(forKey: key)
                }
            }
            class Sub: Person {
                @objc dynamic var initial: String { name }
                override class func keyPathsForValuesAffectingTitle() -> Set<String> { [] }
                @objc class func keyPathsForValuesAffectingInitial() -> Set<AnyHashable> { ["name" as AnyHashable] }
                static let keyPathsForValuesAffectings: Set<String> = []
            }
            """)
        XCTAssertEqual(lines(left), [6, 7, 7, 7], "\(left)")
        XCTAssertTrue(left[0].contains("for the key 'title'"), left[0])
        XCTAssertTrue(left.contains { $0.contains("for the key 'URL'") }, "\(left)")
        XCTAssertTrue(text.contains("case \"initial\": keyPathsForValuesAffectingInitial()\n"), text)
        XCTAssertFalse(text.contains("case \"s\""), text)
        XCTAssertTrue(text.contains("-> Set<String> { [\"name\"] }\n    static let"), text)
    }

    func testClassesThatNeedNSObjectKeepIt() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            class Download: NSObject, URLSessionDelegate { @objc dynamic var fraction = 0.0 }
            class Stored: NSObject { @objc dynamic var name = "" }
            extension Stored: NSCopying { func copy(with zone: NSZone?) -> Any { self } }
            class Named: NSObject, CustomDebugStringConvertible { @objc dynamic var name = "" }
            """)
        XCTAssertEqual(lines(left), [2, 3], "\(left)")
        for part in [
            "class Download: NSObject, KeyValueObservable, URLSessionDelegate",
            "class Stored: NSObject, KeyValueObservable", "class Named: KeyValueObservable, Custom",
        ] {
            XCTAssertTrue(text.contains(part), "\(part) is not in:\n\(text)")
        }
    }

    /// A class that only announces, or only has rules, is observed.
    func testClassesWithoutDynamicProperties() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            class Fetch: Foundation.Operation {
                private var isOver = false
                override var isFinished: Bool { isOver }
                override func start() {
                    willChangeValue(forKey: "isFinished")
                    isOver = true
                    didChangeValue(forKey: "isFinished")
                }
            }
            class Operation: Foundation.Operation {
                @objc class func keyPathsForValuesAffectingIsReady() -> Set<String> { ["phase"] }
            }
            class Plain: Operation {}
            class Other { func willChangeValue(forKey key: String) {}; func f() { willChangeValue(forKey: "a") } }
            """)
        XCTAssertEqual(left, [])
        for part in [
            "class Fetch: KeyValueOperation {", "class Operation: KeyValueOperation {",
            "class Plain: Operation {}",
            "class Other { func",
        ] {
            XCTAssertTrue(text.contains(part), "\(part) is not in:\n\(text)")
        }
    }

    /// Keys in constants, keys of rules, and code for Objective-C alone.
    func testKeysThatAreAnnouncedOrHaveRules() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            private let levelKey = "level"
            class Step: Operation {
                static let stateKey = "state"
                private var stored = 0
                @objc var state: Int {
                    get { stored }
                    set { willChangeValue(forKey: Step.stateKey); stored = newValue; didChangeValue(forKey: Step.stateKey) }
                }
                var level: Int { stored }
                var unknown: Int {
                    get { stored }
                    set { willChangeValue(forKey: key()); stored = newValue; didChangeValue(forKey: key()) }
                }
                @objc var text: String { "\\(stored)" }
                @objc static var keyPathsForValuesAffectingText: Set<String> { ["state"] }
                func raise() { willChangeValue(forKey: levelKey); stored += 1; didChangeValue(forKey: levelKey) }
            }
            class Titled: NSObject {
                var title: String { "" }
                var other: String { "" }
                override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
                    key == "title" ? ["other.name"] : []
                }
            }
            #if canImport(ObjectiveC)
            class OfCocoa: NSObject { @objc dynamic var a = 0 }
            #endif
            class Constants: NSObject { @objc dynamic let a = 0 }
            """)
        for name in ["state", "level", "unknown", "text"] {
            XCTAssertTrue(text.contains("\"\(name)\": \\Step.\(name),"), "\(name) is not in:\n\(text)")
        }
        XCTAssertTrue(text.contains("{ [\"title\": \\Titled.title] }"), text)
        XCTAssertTrue(text.contains("class OfCocoa: NSObject { @objc dynamic var a = 0 }"), text)
        XCTAssertEqual(lines(left), [29], "\(left)")
    }

    func testClassesOfWindowsMayBeBound() throws {
        let text = """
            import AppKit
            class Server: NSObject { @objc dynamic var port = 0 }
            extension UserDefaults { @objc dynamic var a: Int { 0 } ; @objc dynamic var b: Int { 0 } }
            func f() { UserDefaults.standard.addObserver(g, forKeyPath: "a", options: [], context: nil) }
            """
        let (_, left) = try Fixture.adopt(text)
        XCTAssertEqual(lines(left), [2, 3, 4], "\(left)")
        XCTAssertTrue(left[0].contains("Cocoa's bindings"), left[0])
        XCTAssertTrue(left[1].contains("'a', 'b' of 'UserDefaults'"), left[1])
    }

    /// The isolation of a class is that of its conformances, whether it is written or a setting of the target.
    func testIsolatedClasses() throws {
        let text = """
            import Foundation
            @MainActor class Page: NSObject { @objc dynamic var title = "" }
            class Model: NSObject {
                @objc dynamic var count = 0
                @objc dynamic var text: String { "\\(count)" }
            }
            final class Load: Operation, @unchecked Sendable { @objc dynamic var fraction = 0.0 }
            @MainActor class Panel: NSObject {
                var seen = 0
                override func observeValue(
                    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                    context: UnsafeMutableRawPointer?
                ) { seen += 1 }
            }

            """
        let explicit = try Fixture.adopt(text)
        XCTAssertTrue(explicit.text.contains("class Page: @MainActor KeyValueObservable {"), explicit.text)
        XCTAssertTrue(explicit.text.contains("class Model: KeyValueObservable {"), explicit.text)
        XCTAssertTrue(explicit.text.contains("class Panel: @MainActor KeyValueObserver {"), explicit.text)
        if let problems = try Fixture.problems(inSource: explicit.text) {
            XCTFail("\(problems)\n\(explicit.text)")
        }
        let implied = try Fixture.adopt(
            text, isolation: IsolationSettings(isMainActorByDefault: true, infersConformances: true))
        XCTAssertTrue(implied.text.contains("class Model: @MainActor KeyValueObservable {"), implied.text)
        XCTAssertTrue(implied.text.contains("class Load: KeyValueOperation"), implied.text)
        let options = ["-default-isolation", "MainActor"]
        let withoutLoad = implied.text.split(separator: "\n").filter { !$0.contains("class Load") }.joined(
            separator: "\n")
        if let problems = try Fixture.problems(inSource: withoutLoad, options: options) {
            XCTFail("\(problems)\n\(implied.text)")
        }
    }

    /// An observer that passes on what it does not know derives from the base class that has the method.
    func testObserversThatCallSuper() throws {
        let (text, left) = try Fixture.adopt(
            """
            import Foundation
            class Item: NSObject { @objc dynamic var a = 0 }
            class Watcher: NSObject {
                override func observeValue(
                    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                    context: UnsafeMutableRawPointer?
                ) { super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context) }
            }
            class Strange: Formatter {
                override func observeValue(
                    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                    context: UnsafeMutableRawPointer?
                ) { super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context) }
            }
            """)
        XCTAssertEqual(lines(left), [10], "\(left)")
        XCTAssertTrue(text.contains("class Watcher: KeyValueObject {\n    override func"), text)
    }

    func testASecondRunChangesNothing() throws {
        for name in ["Operations", "Player"] {
            let once = try Fixture.adopt([try Fixture.source("Adopt/\(name).swift")])
            XCTAssertEqual(once.left, [])
            let again = try Fixture.adopt([SourceText(path: name, once.texts[0])])
            XCTAssertEqual(again.texts, once.texts)
            XCTAssertEqual(again.left, [])
        }
    }
}
