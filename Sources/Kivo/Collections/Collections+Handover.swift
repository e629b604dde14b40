/// Lookup of collections in other instances of their realm, by the object to which they belong.
extension List {
    public var _handover: (Realm) -> List? {
        let handover = managed("pass on").handover
        return { realm in
            let reference = handover(realm.instance)
            return reference.isInvalidated ? nil : List(reference)
        }
    }
}

extension MutableSet {
    public var _handover: (Realm) -> MutableSet? {
        let handover = managed("pass on").handover
        return { realm in
            let reference = handover(realm.instance)
            return reference.isInvalidated ? nil : MutableSet(reference)
        }
    }
}

extension Map {
    public var _handover: (Realm) -> Map? {
        let references = managed("pass on")
        let (keys, values) = (references.keys.handover, references.values.handover)
        return { realm in
            let map = Map(keys: keys(realm.instance), values: values(realm.instance))
            return map.isInvalidated ? nil : map
        }
    }
}

extension LinkingObjects {
    public var _handover: (Realm) -> LinkingObjects? {
        let handover = LinkTarget.handover(managed("pass on"))
        return { realm in
            let target = handover(realm.instance)
            return target.isInvalidated ? nil : LinkingObjects(target)
        }
    }
}
