import KivoEngine

/// The rows of lists in values of ``AnyRealmValue``. The app accesses them only through these values.
final class _AnyList: EmbeddedObject {
    @Persisted var elements: List<AnyRealmValue>
}

/// The rows of dictionaries in values of ``AnyRealmValue``. The app accesses them only through these values.
final class _AnyDictionary: EmbeddedObject {
    @Persisted var entries: Map<String, AnyRealmValue>
}

extension AnyContainer {
    /// The class of the rows.
    var type: ObjectBase.Type { self == .list ? _AnyList.self : _AnyDictionary.self }
}

extension RealmInstance {
    /// Returns the list of a row.
    func anyList(_ key: ObjectKey) -> CollectionReference {
        let context = classes.context(of: _AnyList.self)
        return CollectionReference(context, key, context.info.storedProperties[0])
    }

    /// Returns the dictionary of a row.
    func anyDictionary(_ key: ObjectKey) -> MapReference {
        let context = classes.context(of: _AnyDictionary.self)
        let property = context.info.storedProperties[0]
        return MapReference(
            keys: CollectionReference(context, key, property, element: .string),
            values: CollectionReference(context, key, property, column: property.valuesColumn!))
    }

    /// Returns the property, or the element of a collection property, that contains a list or dictionary at any depth: the row of
    /// an object of the app, the column and, in a list, the position.
    func anyOwner(of container: RowID) -> (row: RowID, column: Int, position: Int?)? {
        var container = container
        while let (owner, column) = snapshot.owner(of: container, catalog) {
            if catalog.tables[owner.table].container == nil {
                let spec = catalog.tables[owner.table].columns[column]
                guard spec.kind == .sequence, spec.order == .insertion else { return (owner, column, nil) }
                let sequence = table(owner.table).sequence(owner.key, column, .any)
                return (owner, column, sequence.firstIndex(of: .typedLink(container)))
            }
            container = owner
        }
        return nil
    }
}
