extension ObjectBase: ThreadConfined {}

extension ThreadConfined where Self: ObjectBase {
    public var _handover: (Realm) -> Self? {
        let (type, key) = (kivoContext.info.type, kivoRow.key)
        return { realm in
            let context = realm.instance.context(type)
            guard let (leaf, slot) = realm.instance.table(context.table).locate(key) else { return nil }
            return unsafeDowncast(context.accessor(key, leaf, slot), to: Self.self)
        }
    }
}
