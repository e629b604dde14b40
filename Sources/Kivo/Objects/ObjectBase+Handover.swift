extension ObjectBase: ThreadConfined {}

extension ThreadConfined where Self: ObjectBase {
    public var _handover: (Realm) -> Self? {
        let (info, key) = (kivoContext.info, kivoRow.key)
        return { realm in
            let context = realm.instance.classes.context(of: info)
            guard let (leaf, slot) = realm.instance.table(context.table).locate(key) else { return nil }
            return unsafeDowncast(context.accessor(key, leaf, slot), to: Self.self)
        }
    }
}
