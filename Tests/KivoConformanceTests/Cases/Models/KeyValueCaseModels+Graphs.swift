import Foundation
import Kivo

/// Models whose dependencies branch and meet again.
extension KeyValueCaseModels {
    /// Depends on two paths that share a node.
    final class DiamondRoot: Object, KeyValueCaseModel {
        @Ignored var a: DiamondA? = DiamondA()

        var x: Int { (a?.b?.c?.d == nil ? 0 : 1) + (a?.c?.b?.e ?? 0) }

        override class func computedProperties() -> [String: AnyKeyPath] { ["x": \DiamondRoot.x] }

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "x" ? ["a.b.c.d", "a.c.b.e"] : super.keyPathsForValuesAffectingValue(forKey: key)
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("a", \DiamondRoot.a), .init("x", reading: \DiamondRoot.x)]
        }
    }

    final class DiamondA: Object, KeyValueCaseModel {
        @Ignored var b: DiamondB?
        @Ignored var c: DiamondC?

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("b", \DiamondA.b), .init("c", \DiamondA.c)]
        }
    }

    final class DiamondB: Object, KeyValueCaseModel {
        @Ignored var c: DiamondC?
        @Ignored var e = 1

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("c", \DiamondB.c), .init("e", \DiamondB.e)]
        }
    }

    final class DiamondC: Object, KeyValueCaseModel {
        @Ignored var b: DiamondB?
        @Ignored var d: DiamondD?
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

        override class func computedProperties() -> [String: AnyKeyPath] { ["f": \DiamondC.f] }

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("b", \DiamondC.b), .init("d", \DiamondC.d), .init("f", \DiamondC.f)]
        }
    }

    final class DiamondD: Object, KeyValueCaseModel {
        static var caseProperties: [KeyValueCaseProperty] { [] }
    }

    /// Reaches one leaf through derived keys.
    final class BranchRoot: Object, KeyValueCaseModel {
        @Ignored var holder: Holder?

        var selected: BranchNode? { holder?.node }
        var derived: Int { (selected?.score ?? 0) + (selected?.leaf?.flag == true ? 1 : 0) }

        override class func computedProperties() -> [String: AnyKeyPath] {
            ["selected": \BranchRoot.selected, "derived": \BranchRoot.derived]
        }

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            switch key {
            case "derived": ["selected.score", "selected.leaf.flag"]
            case "selected": ["holder.node"]
            default: super.keyPathsForValuesAffectingValue(forKey: key)
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
    final class TwoBranchRoot: Object, KeyValueCaseModel {
        @Ignored var holder: Holder?

        var selectedA: BranchNode? { holder?.node }
        var selectedB: BranchNode? { holder?.node }
        var derived: Int { (selectedB?.score ?? 0) + (selectedA?.leaf?.flag == true ? 1 : 0) }

        override class func computedProperties() -> [String: AnyKeyPath] {
            [
                "selectedA": \TwoBranchRoot.selectedA, "selectedB": \TwoBranchRoot.selectedB,
                "derived": \TwoBranchRoot.derived,
            ]
        }

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            switch key {
            case "derived": ["selectedA.leaf.flag", "selectedB.score"]
            case "selectedA", "selectedB": ["holder.node"]
            default: super.keyPathsForValuesAffectingValue(forKey: key)
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

    final class Holder: Object, KeyValueCaseModel {
        @Ignored var node: BranchNode?

        static var caseProperties: [KeyValueCaseProperty] { [.init("node", \Holder.node)] }
    }

    final class BranchNode: Object, KeyValueCaseModel {
        @Ignored var leaf: BranchLeaf?

        var score: Int { leaf?.value ?? 0 }

        override class func computedProperties() -> [String: AnyKeyPath] { ["score": \BranchNode.score] }

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "score" ? ["leaf.value"] : super.keyPathsForValuesAffectingValue(forKey: key)
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("leaf", \BranchNode.leaf), .init("score", reading: \BranchNode.score)]
        }
    }

    final class BranchLeaf: Object, KeyValueCaseModel {
        @Ignored var value = 1
        @Ignored var flag = true

        static var caseProperties: [KeyValueCaseProperty] {
            [.init("value", \BranchLeaf.value), .init("flag", \BranchLeaf.flag)]
        }
    }
}
