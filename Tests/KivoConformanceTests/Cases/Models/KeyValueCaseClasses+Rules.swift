import Foundation
import Kivo

/// Models whose classes state rules.
extension KeyValueCaseClasses {
    class Name: KeyValueObject, KeyValueCaseModel {
        @Observed var first = ""
        @Observed var middle = ""
        @Observed var last = ""

        override required init() {}

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
        @Observed var trigger = false

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "full" ? ["trigger"] : super.keyPathsForValuesAffectingValue(forKey: key)
        }

        override class var caseProperties: [KeyValueCaseProperty] {
            super.caseProperties + [.init("trigger", \SubName.trigger)]
        }
    }

    /// A key below which there is a cycle.
    final class Cyc: KeyValueCaseClass {
        @Observed var leaf = 0
        @Observed var x = 0
        @Observed var y = 0
        @Observed var z = 0

        var sum: Int { x + leaf }

        static func computedProperties() -> [String: AnyKeyPath] { ["sum": \Cyc.sum] }

        static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            switch key {
            case "sum": ["x", "leaf"]
            case "x": ["y"]
            case "y": ["z"]
            case "z": ["x"]
            default: []
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
    final class Sharing: KeyValueCaseClass {
        @Observed var a = 1
        @Observed var shared: Shared?

        var b: Int { a + (shared?.x ?? 0) }

        static func computedProperties() -> [String: AnyKeyPath] { ["b": \Sharing.b] }

        static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "b" ? ["a", "shared.x"] : []
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("a", \Sharing.a), .init("shared", \Sharing.shared), .init("b", reading: \Sharing.b)]
        }
    }

    final class Shared: KeyValueCaseClass {
        @Observed var x = 0
        @Observed var y = 0

        static var caseProperties: [KeyValueCaseProperty] { [.init("x", \Shared.x), .init("y", \Shared.y)] }
    }

    /// A key that brackets its own changes, and one that is derived from it.
    final class ManualBase: KeyValueCaseClass {
        @Observed var base = 0

        var derived: Int { base + 1 }

        static func computedProperties() -> [String: AnyKeyPath] { ["derived": \ManualBase.derived] }

        static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "derived" ? ["base"] : []
        }

        static func automaticallyNotifiesObservers(forKey key: String) -> Bool {
            key != "base"
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("base", \ManualBase.base), .init("derived", reading: \ManualBase.derived)]
        }
    }

    /// States its rules by typed key path, and observes another object while it is asked.
    final class TypedRules: KeyValueCaseClass, KeyValueObservingCustomization {
        @Observed var name = ""

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
    final class TypedRulesNeighbour: KeyValueCaseClass {
        @Observed var name = ""

        static var caseProperties: [KeyValueCaseProperty] { [.init("name", \TypedRulesNeighbour.name)] }
    }

    /// Observes itself for as long as it lives.
    final class SelfObserver: KeyValueCaseClass, KeyValueObserver {
        @Observed var title: String?

        init() {
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
