extension KeyValueCaseStage {
    /// All stages whose classes there are of a kind, those that say most about a case first.
    static func all(_ kind: KeyValueCaseKind) -> [KeyValueCaseStage] {
        let ordinary = [
            items, names, sharing, typedRules, twoBranches, branches, diamond, coding, plainObjects,
        ]
        return switch kind {
        case .objects: ordinary + [realm]
        case .plainClasses:
            (ordinary + [KeyValueCaseStage(roles: ["sw": ["Sw"]])]).map { stage in
                var stage = stage
                stage.kind = kind
                return stage
            }
        }
    }

    /// Ordinary objects and their collections.
    private static var items: KeyValueCaseStage {
        let items = ["Item", "ManualBase", "Progress", "Box"]
        var roles = ["obj": items, "obj1": items, "obj2": items, "obj3": items]
        roles["box"] = ["Box"]
        for name in ["X", "Y", "Z", "e", "e0", "e1", "e2", "e3", "e4"] {
            roles[name] = ["Item", "Box", "Labelled"]
        }
        roles["table"] = ["Table"]
        roles["cyc"] = ["Cyc"]
        roles["lists"] = ["Labelled"]
        roles["sets"] = ["Sets"]
        return KeyValueCaseStage(
            roles: roles, typeNames: ["Item": "Item", "Box": "Box", "SelfObserver": "SelfObserver"],
            prepare: { world in
                world.objects["table"]?.setValue(world.cast.stage.kind.model("Item").init(), forKey: "sub")
            })
    }

    private static var names: KeyValueCaseStage {
        KeyValueCaseStage(
            roles: ["p": ["Name"], "sp": ["SubName"]], typeNames: ["Name": "Name", "SubName": "SubName"])
    }

    private static var sharing: KeyValueCaseStage {
        KeyValueCaseStage(
            roles: ["first": ["Sharing"], "second": ["Sharing"], "shared": ["Shared"]],
            companions: ["first": ["shared"], "second": ["shared"]],
            prepare: { world in
                try world.connect("first", "shared", to: "shared")
                try world.connect("second", "shared", to: "shared")
            })
    }

    private static var typedRules: KeyValueCaseStage {
        KeyValueCaseStage(
            words: ["rules"], roles: ["t2": ["TypedRules"]],
            prepare: { _ in KeyValueCaseTypedRulesLog.asked.withLock { $0 = [] } },
            complaint: { KeyValueCaseTypedRulesLog.complaint })
    }

    private static var twoBranches: KeyValueCaseStage {
        KeyValueCaseStage(
            words: ["selectedA"],
            roles: [
                "root": ["TwoBranchRoot"], "holder": ["Holder"], "node": ["BranchNode"],
                "leaf": ["BranchLeaf"],
            ],
            companions: ["root": ["holder", "node", "leaf"]],
            prepare: { world in
                try world.connect("node", "leaf", to: "leaf")
                try world.connect("root", "holder", to: "holder")
            })
    }

    private static var branches: KeyValueCaseStage {
        KeyValueCaseStage(
            words: ["selected"],
            roles: [
                "root": ["BranchRoot"], "holder": ["Holder"], "node": ["BranchNode"], "leaf": ["BranchLeaf"],
            ],
            companions: ["root": ["holder", "node", "leaf"]],
            prepare: { world in
                try world.connect("node", "leaf", to: "leaf")
                try world.connect("holder", "node", to: "node")
                try world.connect("root", "holder", to: "holder")
            })
    }

    private static var diamond: KeyValueCaseStage {
        KeyValueCaseStage(
            roles: [
                "root": ["DiamondRoot"], "a": ["DiamondA"], "b": ["DiamondB"], "c": ["DiamondC"],
                "D": ["DiamondD"],
            ],
            typeNames: ["C": "DiamondC"], companions: ["root": ["a", "b", "c", "D"]],
            prepare: { world in
                try world.connect("c", "d", to: "D")
                try world.connect("c", "b", to: "b")
                try world.connect("b", "c", to: "c")
                try world.connect("a", "b", to: "b")
                try world.connect("a", "c", to: "c")
                try world.connect("root", "a", to: "a")
            })
    }

    /// Objects that are read and written by name.
    private static var coding: KeyValueCaseStage {
        KeyValueCaseStage(
            roles: [
                "t": ["Chain"], "h": ["NilHook"], "o": ["Keys"], "closed": ["Closed"],
                "owner": ["ItemsOwner"],
                "adapter": ["Adapter"], "frozenTable": ["FrozenTable"],
            ],
            prepare: { world in
                guard let chain = world.objects["t"] else { return }
                let (child, grandchild) = (type(of: chain).init(), type(of: chain).init())
                try KeyValueCaseMutation.property(child, "child")?.store?(child, grandchild)
                try KeyValueCaseMutation.property(chain, "child")?.store?(chain, child)
            })
    }

    /// The ordinary twin of the realm's objects.
    private static var plainObjects: KeyValueCaseStage {
        let names = ["obj", "obj1", "obj2", "obj3", "o1", "o2", "o3", "other", "t", "m1", "m2"]
        return KeyValueCaseStage(
            roles: Dictionary(uniqueKeysWithValues: names.map { ($0, ["PlainObj"]) }),
            typeNames: ["Obj": "PlainObj"])
    }
}

extension KeyValueCaseWorld {
    /// Sets a property of an object to another one, through its Swift setter, if there are both.
    fileprivate func connect(_ name: String, _ key: String, to other: String) throws {
        guard let object = objects[name], let other = objects[other] else { return }
        guard let store = KeyValueCaseMutation.property(object, key)?.store else {
            throw KeyValueCaseError("the property '\(key)' of '\(name)'")
        }
        try store(object, other)
    }
}
