import KivoEngine

extension _Persistable {
    /// Returns the value that a cell represents, as `Any?`, for a type that is no collection.
    static func value(of cell: Cell, _ context: CollectionContext) -> Any? {
        func value<Element: RealmCollectionValue>(_ type: Element.Type) -> Any? {
            Element.element(of: cell, context)
        }
        guard let type = self as? any RealmCollectionValue.Type else { return nil }
        let value = flatten(value(type))
        if let any = value as? AnyRealmValue { return AnyRealmValue.toAny(any) }
        return value
    }
}
