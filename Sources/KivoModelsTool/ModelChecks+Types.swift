import KivoSourceModel

extension ModelChecks {
    /// A description of the types that can be stored.
    static let storable = """
        types that can be stored are \(ScalarName.allCases.map(\.rawValue).joined(separator: ", ")), AnyRealmValue, enums that are PersistableEnum, types that are CustomPersistable, classes derived from \
        Object or EmbeddedObject (as optionals), and List, MutableSet and Map<String, …> of these
        """

    mutating func checkType(of property: ModelProperty) {
        let type = property.type
        let name = "\(property.model.name).\(property.name)"
        if let key = type.foreignKey {
            report(property, "the keys of map '\(name)' are of type '\(key)': only String can be one")
        }
        if type.isOptionalCollection, let collection = type.collection {
            report(
                property,
                "'\(name)' is an optional \(collection.rawValue): a collection is never nil, so remove the '?'"
            )
        }
        if case .unsupported(let advice) = type.value {
            let element = type.collection == nil ? "has" : "holds values of"
            let hint = advice.map { "\($0); " } ?? ""
            report(
                property,
                "property '\(name)' \(element) type '\(type.valueText)', which cannot be stored: \(hint)\(Self.storable)"
            )
        }
        if let model = type.model {
            if type.collection == nil, !type.isOptional {
                report(
                    property,
                    """
                    property '\(name)' links to an object of class '\(model.name)', which may be deleted: declare it \
                    '\(type.valueText)?'
                    """)
            }
            if let collection = type.collection, collection == .list || collection == .set, type.isOptional {
                let (kind, written) = (collection == .list ? "list" : "set", collection.rawValue)
                report(
                    property,
                    """
                    property '\(name)' is a \(kind) of optional objects, and a \(kind) holds no nil: declare it \
                    '\(written)<\(type.valueText)>'
                    """)
            }
            if type.collection == .map, !type.isOptional {
                report(
                    property,
                    """
                    property '\(name)' is a map of objects, of which a value becomes nil when its object is deleted: declare \
                    it 'Map<String, \(type.valueText)?>'
                    """)
            }
            if type.collection == .set, model.isEmbedded {
                report(property, "property '\(name)' is a set of embedded objects: use a List")
            }
        }
        if case .enumeration(let declaration, let raw?) = type.value, ScalarName(rawValue: raw) == nil {
            report(
                property,
                "the raw values of enum '\(declaration.name)' of property '\(name)' are of type '\(raw)': use Int or String"
            )
        }
        if type.collection == .inverse, property.origin == nil,
            let persisted = property.declaration.persisted,
            persisted.argument("originProperty") == nil
        {
            report(
                property,
                """
                property '\(name)' does not say which links it is made of: declare it \
                '@Persisted(originProperty: "…")' with the name of a property of '\(type.valueText)'
                """)
        }
        if property.origin != nil, type.isKnown || type.collection != nil, type.collection != .inverse {
            report(
                property,
                "property '\(name)' has an origin property, but is no LinkingObjects: declare its type 'LinkingObjects<…>'"
            )
        }
    }

    mutating func checkPrimaryKeys(_ model: Model) {
        let declared = model.allProperties.filter(\.isDeclaredPrimaryKey)
        // Further keys in a superclass are reported by the check of the superclass.
        if declared.count > 1, let last = declared.last, last.model === model {
            let names = declared.map { "'\($0.name)'" }.joined(separator: " and ")
            report(last, "class '\(model.name)' declares two primary keys, \(names): a class has at most one")
        }
        let source = model.declaration.source
        if let (name, function) = model.legacyKey {
            if let other = declared.first, other.name != name {
                report(
                    source, function.nameOffset,
                    """
                    class '\(model.name)' declares primary key '\(other.name)', and its 'primaryKey()' returns '\(name)': a \
                    class has at most one
                    """)
            } else if model.isComplete, model.property(named: name) == nil, !model.allProperties.isEmpty {
                report(
                    source, function.nameOffset,
                    "'primaryKey()' of class '\(model.name)' names '\(name)', which is no persisted property of it"
                        + suggestion(for: name, in: model))
            }
        }
        for property in model.properties {
            let isKey = property.isPrimaryKey
            guard isKey || property.isIndexed else { continue }
            let name = "\(model.name).\(property.name)"
            if isKey, model.isEmbedded {
                report(
                    property,
                    "embedded class '\(model.name)' declares primary key '\(property.name)': embedded objects have none"
                )
            }
            guard property.type.isKnown, !Self.canIdentify(property.type, isKey: isKey) else { continue }
            if case .unsupported = property.type.value { continue }
            let keys = ScalarName.allCases.filter { $0.canBePrimaryKey && (!$0.isInteger || $0 == .int) }
            let indexed = ScalarName.allCases.filter { $0.canBeIndexed && !$0.canBePrimaryKey }
            let allowed =
                (keys.map { $0 == .int ? "Int and its sized forms" : $0.rawValue }
                + (isKey ? [] : indexed.map(\.rawValue) + ["AnyRealmValue"])).joined(separator: ", ")
            report(
                property,
                """
                property '\(name)' of type '\(property.type.text.isEmpty ? property.type.valueText : property.type.text)' \
                cannot be \(isKey ? "a primary key" : "indexed"): \(allowed) and enums of these can
                """)
        }
    }

    /// Whether a type can be a primary key or indexed, as far as is known.
    private static func canIdentify(_ type: PropertyType, isKey: Bool) -> Bool {
        guard type.collection == nil else { return false }
        func can(_ scalar: ScalarName) -> Bool { isKey ? scalar.canBePrimaryKey : scalar.canBeIndexed }
        switch type.value {
        case .scalar(let name): return can(name)
        case .enumeration(_, let raw?): return ScalarName(rawValue: raw).map(can) ?? false
        case .enumeration(_, nil): return true
        case .anyValue: return !isKey
        case .custom, .unknown: return true
        case .model, .unsupported: return false
        }
    }
}
