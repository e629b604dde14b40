/// The kind of classes on which cases are run.
enum KeyValueCaseKind: String, Codable, CaseIterable, Sendable {
    /// Models of Kivo.
    case objects
    /// Classes that conform to `KeyValueObservable` and have no base class, or one without a realm.
    case plainClasses

    /// The end of a report's name.
    var suffix: String { self == .objects ? "" : "/plain" }

    /// Returns the class of a name; each kind has a class of its own for each name of an ordinary one.
    func model(_ name: String) -> any KeyValueCaseModel.Type { models[name]! }

    /// The classes by name.
    var models: [String: any KeyValueCaseModel.Type] {
        let all = self == .objects ? KeyValueCaseModels.all : KeyValueCaseClasses.all
        return Dictionary(uniqueKeysWithValues: all.map { ("\($0)", $0) })
    }
}

extension KeyValueCaseModels {
    static var all: [any KeyValueCaseModel.Type] {
        [
            Adapter.self, Box.self, BranchLeaf.self, BranchNode.self, BranchRoot.self, Chain.self,
            Closed.self,
            Cyc.self, DiamondA.self, DiamondB.self, DiamondC.self, DiamondD.self, DiamondRoot.self,
            Embedded.self, FrozenTable.self, Holder.self, Item.self, ItemsOwner.self, Keys.self,
            Labelled.self,
            Leaf.self, ManualBase.self, Mid.self, Name.self, NilHook.self, Obj.self, Owner.self,
            PlainObj.self,
            Progress.self, Root.self, SelfObserver.self, Sets.self, Shared.self, Sharing.self, SubName.self,
            Sw.self, Table.self, TwoBranchRoot.self, TypedRules.self,
        ]
    }
}

extension KeyValueCaseClasses {
    static var all: [any KeyValueCaseModel.Type] {
        [
            Adapter.self, Box.self, BranchLeaf.self, BranchNode.self, BranchRoot.self, Chain.self,
            Closed.self,
            Cyc.self, DiamondA.self, DiamondB.self, DiamondC.self, DiamondD.self, DiamondRoot.self,
            FrozenTable.self, Holder.self, Item.self, ItemsOwner.self, Keys.self, Labelled.self,
            ManualBase.self, Name.self, NilHook.self, PlainObj.self, Progress.self, SelfObserver.self,
            Sets.self, Shared.self, Sharing.self, SubName.self, Sw.self, Table.self, TwoBranchRoot.self,
            TypedRules.self,
        ]
    }
}
