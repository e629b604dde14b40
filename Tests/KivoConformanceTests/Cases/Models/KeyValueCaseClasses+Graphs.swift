import Foundation
import Kivo

/// Models whose dependencies branch and meet again.
extension KeyValueCaseClasses {
    /// Depends on two paths that share a node.
    final class DiamondRoot: KeyValueCaseClass {
        @Observed var a: DiamondA? = DiamondA()

        var x: Int { (a?.b?.c?.d == nil ? 0 : 1) + (a?.c?.b?.e ?? 0) }

        static func computedProperties() -> [String: AnyKeyPath] { ["x": \DiamondRoot.x] }

        static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "x" ? ["a.b.c.d", "a.c.b.e"] : []
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("a", \DiamondRoot.a), .init("x", reading: \DiamondRoot.x)]
        }
    }

    final class DiamondA: KeyValueCaseClass {
        @Observed var b: DiamondB?
        @Observed var c: DiamondC?

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("b", \DiamondA.b), .init("c", \DiamondA.c)]
        }
    }

    final class DiamondB: KeyValueCaseClass {
        @Observed var c: DiamondC?
        @Observed var e = 1

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("c", \DiamondB.c), .init("e", \DiamondB.e)]
        }
    }

    final class DiamondC: KeyValueCaseClass {
        @Observed var b: DiamondB?
        @Observed var d: DiamondD?
        private var storedF = 0

        /// Touches `d` when it changes.
        var f: Int {
            get { storedF }
            set {
                if d != nil { willChangeValue(forKey: "d") }
                storedF = newValue
                if d != nil { didChangeValue(forKey: "d") }
            }
        }

        static func computedProperties() -> [String: AnyKeyPath] { ["f": \DiamondC.f] }

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("b", \DiamondC.b), .init("d", \DiamondC.d), .init("f", \DiamondC.f)]
        }
    }

    final class DiamondD: KeyValueCaseClass {
        static var caseProperties: [KeyValueCaseProperty] { [] }
    }

    /// Reaches one leaf through derived keys.
    final class BranchRoot: KeyValueCaseClass {
        @Observed var holder: Holder?

        var selected: BranchNode? { holder?.node }
        var derived: Int { (selected?.score ?? 0) + (selected?.leaf?.flag == true ? 1 : 0) }

        static func computedProperties() -> [String: AnyKeyPath] {
            ["selected": \BranchRoot.selected, "derived": \BranchRoot.derived]
        }

        static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            switch key {
            case "derived": ["selected.score", "selected.leaf.flag"]
            case "selected": ["holder.node"]
            default: []
            }
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("holder", \BranchRoot.holder), .init("selected", reading: \BranchRoot.selected),
                .init("derived", reading: \BranchRoot.derived),
            ]
        }
    }

    /// Reaches one leaf through two derived keys that depend on the same.
    final class TwoBranchRoot: KeyValueCaseClass {
        @Observed var holder: Holder?

        var selectedA: BranchNode? { holder?.node }
        var selectedB: BranchNode? { holder?.node }
        var derived: Int { (selectedB?.score ?? 0) + (selectedA?.leaf?.flag == true ? 1 : 0) }

        static func computedProperties() -> [String: AnyKeyPath] {
            [
                "selectedA": \TwoBranchRoot.selectedA, "selectedB": \TwoBranchRoot.selectedB,
                "derived": \TwoBranchRoot.derived,
            ]
        }

        static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            switch key {
            case "derived": ["selectedA.leaf.flag", "selectedB.score"]
            case "selectedA", "selectedB": ["holder.node"]
            default: []
            }
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("holder", \TwoBranchRoot.holder),
                .init("selectedA", reading: \TwoBranchRoot.selectedA),
                .init("selectedB", reading: \TwoBranchRoot.selectedB),
                .init("derived", reading: \TwoBranchRoot.derived),
            ]
        }
    }

    final class Holder: KeyValueCaseClass {
        @Observed var node: BranchNode?

        static var caseProperties: [KeyValueCaseProperty] { [.init("node", \Holder.node)] }
    }

    final class BranchNode: KeyValueCaseClass {
        @Observed var leaf: BranchLeaf?

        var score: Int { leaf?.value ?? 0 }

        static func computedProperties() -> [String: AnyKeyPath] { ["score": \BranchNode.score] }

        static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "score" ? ["leaf.value"] : []
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("leaf", \BranchNode.leaf), .init("score", reading: \BranchNode.score)]
        }
    }

    final class BranchLeaf: KeyValueCaseClass {
        @Observed var value = 1
        @Observed var flag = true

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("value", \BranchLeaf.value), .init("flag", \BranchLeaf.flag)]
        }
    }
}
