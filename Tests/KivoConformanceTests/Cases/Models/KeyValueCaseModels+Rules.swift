import Foundation
import Kivo
import KivoEngine

/// Models whose classes state rules.
extension KeyValueCaseModels {
    class Name: Object, KeyValueCaseModel {
        @Ignored var first = ""
        @Ignored var middle = ""
        @Ignored var last = ""

        final var full: String { "\(first) \(middle) \(last)" }

        override class func computedProperties() -> [String: AnyKeyPath] { ["full": \Name.full] }

        class var caseProperties: [KeyValueCaseProperty] {
            [
                .init("first", \Name.first), .init("middle", \Name.middle), .init("last", \Name.last),
                .init("full", reading: \Name.full),
            ]
        }
    }

    final class SubName: Name {
        @Ignored var trigger = false

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "full" ? ["trigger"] : super.keyPathsForValuesAffectingValue(forKey: key)
        }

        override class var caseProperties: [KeyValueCaseProperty] {
            super.caseProperties + [.init("trigger", \SubName.trigger)]
        }
    }

    /// A key below which there is a cycle.
    final class Cyc: Object, KeyValueCaseModel {
        @Ignored var leaf = 0
        @Ignored var x = 0
        @Ignored var y = 0
        @Ignored var z = 0

        var sum: Int { x + leaf }

        override class func computedProperties() -> [String: AnyKeyPath] { ["sum": \Cyc.sum] }

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            switch key {
            case "sum": ["x", "leaf"]
            case "x": ["y"]
            case "y": ["z"]
            case "z": ["x"]
            default: super.keyPathsForValuesAffectingValue(forKey: key)
            }
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("leaf", \Cyc.leaf), .init("x", \Cyc.x), .init("y", \Cyc.y), .init("z", \Cyc.z),
                .init("sum", reading: \Cyc.sum),
            ]
        }
    }

    /// Derives a value from another object.
    final class Sharing: Object, KeyValueCaseModel {
        @Ignored var a = 1
        @Ignored var shared: Shared?

        var b: Int { a + (shared?.x ?? 0) }

        override class func computedProperties() -> [String: AnyKeyPath] { ["b": \Sharing.b] }

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "b" ? ["a", "shared.x"] : super.keyPathsForValuesAffectingValue(forKey: key)
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("a", \Sharing.a), .init("shared", \Sharing.shared), .init("b", reading: \Sharing.b)]
        }
    }

    final class Shared: Object, KeyValueCaseModel {
        @Ignored var x = 0
        @Ignored var y = 0

        static var caseProperties: [KeyValueCaseProperty] { [.init("x", \Shared.x), .init("y", \Shared.y)] }
    }

    /// A key that brackets its own changes, and one that is derived from it.
    final class ManualBase: Object, KeyValueCaseModel {
        @Ignored var base = 0

        var derived: Int { base + 1 }

        override class func computedProperties() -> [String: AnyKeyPath] { ["derived": \ManualBase.derived] }

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "derived" ? ["base"] : super.keyPathsForValuesAffectingValue(forKey: key)
        }

        override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
            key != "base" && super.automaticallyNotifiesObservers(forKey: key)
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("base", \ManualBase.base), .init("derived", reading: \ManualBase.derived)]
        }
    }

    /// States its rules by typed key path, and observes another object while it is asked.
    final class TypedRules: Object, KeyValueCaseModel, KeyValueObservingCustomization {
        @Ignored var name = ""

        static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
            KeyValueCaseTypedRulesLog.note("dependencies", isRight: key == \TypedRules.name)
            observeNeighbour()
            return []
        }

        static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool {
            KeyValueCaseTypedRulesLog.note("automatic", isRight: key == \TypedRules.name)
            observeNeighbour()
            return true
        }

        private static func observeNeighbour() {
            TypedRulesNeighbour().observe(\.name) { _, _ in }.invalidate()
        }

        static var caseProperties: [KeyValueCaseProperty] { [.init("name", \TypedRules.name)] }
    }

    /// A class with the same key as `TypedRules`.
    final class TypedRulesNeighbour: Object, KeyValueCaseModel {
        @Ignored var name = ""

        static var caseProperties: [KeyValueCaseProperty] { [.init("name", \TypedRulesNeighbour.name)] }
    }

    /// Observes itself for as long as it lives.
    final class SelfObserver: Object, KeyValueCaseModel, KeyValueObserver {
        @Ignored var title: String?

        required init() {
            super.init()
            addObserver(self, forKeyPath: "title", options: [], context: nil)
        }

        deinit { removeObserver(self, forKeyPath: "title") }

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {}

        static var caseProperties: [KeyValueCaseProperty] { [.init("title", \SelfObserver.title)] }
    }
}

/// The questions to the typed rules.
enum KeyValueCaseTypedRulesLog {
    static let asked = Lock<[(rule: String, isRight: Bool)]>([])

    static func note(_ rule: String, isRight: Bool) { asked.withLock { $0.append((rule, isRight)) } }

    static var complaint: String? {
        let asked = asked.withLock { $0 }
        if let wrong = asked.first(where: { !$0.isRight }) {
            return "the rule of \(wrong.rule) was asked for another key"
        }
        let rules = Set(asked.map(\.rule))
        return rules.count == 2 ? nil : "of the typed rules only \(rules.sorted()) were asked"
    }
}
