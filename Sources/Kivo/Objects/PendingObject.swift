/// An unmanaged object whose properties are still to be assigned from a value.
struct PendingObject {
    let object: ObjectBase
    let value: Any

    /// Assigns the properties. Adds the objects for nested values, whose properties are still to be assigned, to `rest`.
    func assign(_ rest: inout [PendingObject]) {
        let info = Registry.info(type(of: object))
        let values = InitialValues(value, info)
        for property in info.storedProperties {
            guard case .value(let value) = values.value(of: property) else { continue }
            let made = property.isLinking ? makingObjects(value, property, &rest) : value
            if property.isLink { object.kivoHoldsObjects = true }
            if !property.wrapper.setUnmanagedValue(property.address(in: object), made) {
                object.kivoTrapMisfit(property, value)
            }
        }
    }

    /// Returns a value in which dictionaries and arrays are replaced by new objects, and embedded objects that have an owner by
    /// copies.
    private func makingObjects(
        _ value: Any?, _ property: PropertyInfo, _ rest: inout [PendingObject]
    ) -> Any? {
        guard let value = nonNull(value), let target = property.type.target, !property.type.isMapped else {
            return value
        }
        // A collection of objects is used unchanged.
        if !property.isOwning, cast(value, as: (any ModelCollection).self) != nil { return value }
        var made: [PendingObject] = []
        func object(_ value: Any) -> Any {
            guard let value = nonNull(value) else { return value }
            let isToBeMade: Bool
            if let object = cast(value, as: ObjectBase.self) {
                isToBeMade =
                    property.isOwning && object.isManaged
                    && (type(of: object) == target
                        || object is DynamicObject && object.kivoInfo.name == target.className())
            } else {
                isToBeMade = InitialValues.canMakeObject(value)
            }
            if !isToBeMade { return value }
            made.append(PendingObject(object: target.init(), value: value))
            return made[made.count - 1].object
        }
        defer { rest += made.reversed() }
        switch property.type.collection {
        case .none: return object(value)
        case .map:
            guard let entries = CollectionContents.entries(value) else { return value }
            let contents = entries.map { ($0.key, $0.value.map(object) as Any) }
            return Dictionary(contents, uniquingKeysWith: { first, _ in first })
        case .list, .set, .linkingObjects:
            return CollectionContents.elements(ofSequence: value)?.map(object) ?? value
        }
    }
}
