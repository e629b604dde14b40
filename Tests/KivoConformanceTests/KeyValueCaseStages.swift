import Kivo

extension KeyValueCaseStage {
    /// All that are known, those that say most about a case first.
    static var all: [KeyValueCaseStage] {
        [items, names, sharing, typedRules, twoBranches, branches, diamond, coding, plainObjects, realm]
    }

    /// Ordinary objects and their collections.
    private static var items: KeyValueCaseStage {
        let items: [Model] = [
            KeyValueCaseModels.Item.self, KeyValueCaseModels.ManualBase.self,
            KeyValueCaseModels.Progress.self, KeyValueCaseModels.Box.self,
        ]
        let elements: [Model] = [
            KeyValueCaseModels.Item.self, KeyValueCaseModels.Box.self, KeyValueCaseModels.Labelled.self,
        ]
        var roles: [String: [Model]] = ["obj": items, "obj1": items, "obj2": items, "obj3": items]
        roles["box"] = [KeyValueCaseModels.Box.self]
        for name in ["table", "X", "Y", "Z", "e", "e0", "e1", "e2", "e3", "e4"] { roles[name] = elements }
        roles["table"] = [KeyValueCaseModels.Table.self]
        roles["cyc"] = [KeyValueCaseModels.Cyc.self]
        roles["lists"] = [KeyValueCaseModels.Labelled.self]
        roles["sets"] = [KeyValueCaseModels.Sets.self]
        return KeyValueCaseStage(
            roles: roles,
            types: [
                "Item": KeyValueCaseModels.Item.self, "Box": KeyValueCaseModels.Box.self,
                "SelfObserver": KeyValueCaseModels.SelfObserver.self,
            ],
            prepare: { world in
                guard let table = world.objects["table"] else { return }
                let item = KeyValueCaseModels.Item()
                table.setValue(item, forKey: "sub")
            })
    }

    private static var names: KeyValueCaseStage {
        KeyValueCaseStage(
            roles: ["p": [KeyValueCaseModels.Name.self], "sp": [KeyValueCaseModels.SubName.self]],
            types: ["Name": KeyValueCaseModels.Name.self, "SubName": KeyValueCaseModels.SubName.self])
    }

    private static var sharing: KeyValueCaseStage {
        KeyValueCaseStage(
            roles: [
                "first": [KeyValueCaseModels.Sharing.self], "second": [KeyValueCaseModels.Sharing.self],
                "shared": [KeyValueCaseModels.Shared.self],
            ],
            companions: ["first": ["shared"], "second": ["shared"]],
            prepare: { world in
                for name in ["first", "second"] {
                    let object = world.objects[name] as? KeyValueCaseModels.Sharing
                    object?.shared = world.objects["shared"] as? KeyValueCaseModels.Shared
                }
            })
    }

    private static var typedRules: KeyValueCaseStage {
        KeyValueCaseStage(
            words: ["rules"], roles: ["t2": [KeyValueCaseModels.TypedRules.self]],
            prepare: { _ in KeyValueCaseModels.TypedRulesLog.asked.withLock { $0 = [] } },
            complaint: { KeyValueCaseModels.TypedRulesLog.complaint })
    }

    private static var twoBranches: KeyValueCaseStage {
        KeyValueCaseStage(
            words: ["selectedA"],
            roles: [
                "root": [KeyValueCaseModels.TwoBranchRoot.self], "holder": [KeyValueCaseModels.Holder.self],
                "node": [KeyValueCaseModels.BranchNode.self], "leaf": [KeyValueCaseModels.BranchLeaf.self],
            ],
            companions: ["root": ["holder", "node", "leaf"]],
            prepare: { world in connectBranches(world, hasNode: false) })
    }

    private static var branches: KeyValueCaseStage {
        KeyValueCaseStage(
            words: ["selected"],
            roles: [
                "root": [KeyValueCaseModels.BranchRoot.self], "holder": [KeyValueCaseModels.Holder.self],
                "node": [KeyValueCaseModels.BranchNode.self], "leaf": [KeyValueCaseModels.BranchLeaf.self],
            ],
            companions: ["root": ["holder", "node", "leaf"]],
            prepare: { world in connectBranches(world, hasNode: true) })
    }

    private static func connectBranches(_ world: KeyValueCaseWorld, hasNode: Bool) {
        let holder = world.objects["holder"] as? KeyValueCaseModels.Holder
        let node = world.objects["node"] as? KeyValueCaseModels.BranchNode
        node?.leaf = world.objects["leaf"] as? KeyValueCaseModels.BranchLeaf
        if hasNode { holder?.node = node }
        (world.objects["root"] as? KeyValueCaseModels.BranchRoot)?.holder = holder
        (world.objects["root"] as? KeyValueCaseModels.TwoBranchRoot)?.holder = holder
    }

    private static var diamond: KeyValueCaseStage {
        KeyValueCaseStage(
            roles: [
                "root": [KeyValueCaseModels.DiamondRoot.self], "a": [KeyValueCaseModels.DiamondA.self],
                "b": [KeyValueCaseModels.DiamondB.self], "c": [KeyValueCaseModels.DiamondC.self],
                "D": [KeyValueCaseModels.DiamondD.self],
            ],
            types: ["C": KeyValueCaseModels.DiamondC.self], companions: ["root": ["a", "b", "c", "D"]],
            prepare: { world in
                let a = world.objects["a"] as? KeyValueCaseModels.DiamondA
                let b = world.objects["b"] as? KeyValueCaseModels.DiamondB
                let c = world.objects["c"] as? KeyValueCaseModels.DiamondC
                c?.d = world.objects["D"] as? KeyValueCaseModels.DiamondD
                c?.b = b
                b?.c = c
                a?.b = b
                a?.c = c
                (world.objects["root"] as? KeyValueCaseModels.DiamondRoot)?.a = a
            })
    }

    /// Objects that are read and written by name.
    private static var coding: KeyValueCaseStage {
        KeyValueCaseStage(
            roles: [
                "t": [KeyValueCaseModels.Chain.self], "h": [KeyValueCaseModels.NilHook.self],
                "o": [KeyValueCaseModels.Keys.self], "closed": [KeyValueCaseModels.Closed.self],
                "owner": [KeyValueCaseModels.ItemsOwner.self], "adapter": [KeyValueCaseModels.Adapter.self],
                "frozenTable": [KeyValueCaseModels.FrozenTable.self],
            ],
            prepare: { world in
                guard let chain = world.objects["t"] as? KeyValueCaseModels.Chain else { return }
                chain.child = KeyValueCaseModels.Chain()
                chain.child?.child = KeyValueCaseModels.Chain()
            })
    }

    /// The ordinary twin of the realm's objects.
    private static var plainObjects: KeyValueCaseStage {
        let names = ["obj", "obj1", "obj2", "obj3", "o1", "o2", "o3", "other", "t", "m1", "m2"]
        return KeyValueCaseStage(
            roles: Dictionary(uniqueKeysWithValues: names.map { ($0, [KeyValueCaseModels.PlainObj.self]) }),
            types: ["Obj": KeyValueCaseModels.PlainObj.self])
    }
}
