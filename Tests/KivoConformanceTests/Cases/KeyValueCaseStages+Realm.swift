import Kivo

extension KeyValueCaseStage {
    /// The objects of a realm, also before they are added to one.
    static var realm: KeyValueCaseStage {
        var roles: [String: [String]] = [:]
        let names = [
            "obj", "obj1", "obj2", "obj3", "o1", "o2", "o3", "n", "beforeN", "afterN", "copy", "other",
        ]
        for name in names + ["t", "m1", "m2"] { roles[name] = ["Obj"] }
        roles["root"] = ["Root"]
        for name in ["mid", "mid2", "a", "b"] { roles[name] = ["Mid"] }
        roles["leaf"] = ["Leaf"]
        roles["owner"] = ["Owner"]
        roles["sw"] = ["Sw"]
        let types = ["Obj", "Root", "Mid", "Leaf", "Owner", "Sw"]
        return KeyValueCaseStage(
            isForManaged: true,
            roles: roles, typeNames: Dictionary(uniqueKeysWithValues: types.map { ($0, $0) }),
            companions: ["root": ["mid", "leaf"], "mid": ["leaf"], "copy": ["obj"]],
            realmTypes: [
                KeyValueCaseModels.Obj.self, KeyValueCaseModels.Root.self, KeyValueCaseModels.Mid.self,
                KeyValueCaseModels.Leaf.self, KeyValueCaseModels.Owner.self, KeyValueCaseModels.Embedded.self,
                KeyValueCaseModels.Sw.self,
            ],
            aliases: collections, prepare: connect)
    }

    /// A collection that is a thing by itself is that of some object, of the kind that the setup says.
    private static func collections(_ test: KeyValueCase) -> [String: String] {
        let setup = test.setup.lowercased()
        if setup.contains("dictionary") { return ["objects": "obj.dictionary"] }
        return ["objects": setup.contains(" set ") ? "obj.set" : "obj.objects"]
    }

    private static func connect(_ world: KeyValueCaseWorld) {
        let mid = world.objects["mid"] as? KeyValueCaseModels.Mid
        mid?.obj = world.objects["leaf"] as? KeyValueCaseModels.Leaf
        if let root = world.objects["root"] as? KeyValueCaseModels.Root, let mid {
            root.obj = mid
            // A collection that the case observes and never fills must not be empty.
            if isObservedOnly("root", "array", world.test) { root.array.append(mid) }
            if isObservedOnly("root", "set", world.test) { root.set.insert(mid) }
            if isObservedOnly("root", "dictionary", world.test) { root.dictionary["key"] = mid }
        }
        if let owner = world.objects["owner"] as? KeyValueCaseModels.Owner {
            owner.object = KeyValueCaseModels.Embedded()
            owner.array.append(KeyValueCaseModels.Embedded())
        }
        if let obj = world.objects["obj"] as? KeyValueCaseModels.Obj {
            (world.objects["copy"] as? KeyValueCaseModels.Obj)?.pk = obj.pk
            if leadsOnThrough("obj", "link", world.test) { obj.link = KeyValueCaseModels.Obj() }
            obj.link?.pk = 1_000
        }
    }

    private static func isObservedOnly(_ name: String, _ key: String, _ test: KeyValueCase) -> Bool {
        let steps = test.allSteps.filter { step in
            (step.object == name && step.key == key) || step.object == "\(name).\(key)"
        }
        return !steps.isEmpty
            && steps.allSatisfy { ["observe", "unobserve", "observeTyped"].contains($0.action) }
    }

    /// Whether a case observes beyond a link that it never sets.
    private static func leadsOnThrough(_ name: String, _ key: String, _ test: KeyValueCase) -> Bool {
        let steps = test.allSteps.filter { $0.object == name }
        return steps.contains { $0.key?.hasPrefix("\(key).") == true }
            && !steps.contains { $0.action == "set" && $0.key == key }
    }
}
