import KivoSourceModel

extension ModelChecks {
    /// Checks for properties that are declared twice or stored under the same name, and for mapped names without a property.
    mutating func checkNames(_ model: Model) {
        let all = model.allProperties
        for property in model.properties {
            if let other = model.superclass?.property(named: property.name) {
                report(
                    property,
                    """
                    class '\(model.name)' declares property '\(property.name)', and so does its superclass \
                    '\(other.model.name)': rename one of them
                    """)
            }
        }
        let source = model.declaration.source
        var columns: [String: ModelProperty] = [:]
        for property in all where property.type.collection != .inverse {
            let column = model.storedName(of: property)
            guard let other = columns.updateValue(property, forKey: column), other.name != property.name
            else { continue }
            if property.model !== model, other.model !== model, model.mapping.isEmpty { continue }
            let offset = model.mappingFunction?.nameOffset ?? property.declaration.nameOffset
            report(
                source, offset,
                "properties '\(other.name)' and '\(property.name)' of class '\(model.name)' are both stored as '\(column)'"
            )
        }
        for (name, column, token) in model.mapping {
            let offset = token.map { source.tokens[$0].start } ?? model.mappingFunction?.nameOffset ?? 0
            if model.isComplete, !all.contains(where: { $0.name == name }) {
                report(
                    source, offset,
                    "'propertiesMapping()' of class '\(model.name)' names '\(name)', which is no persisted property of it"
                        + suggestion(for: name, in: model))
            }
            if column.isEmpty || column.contains(".") {
                report(
                    source, offset,
                    """
                    'propertiesMapping()' of class '\(model.name)' stores '\(name)' as '\(column)': a stored name is not \
                    empty and has no '.' in it
                    """)
            }
        }
        guard model.isComplete else { return }
        for name in model.legacyIndexed where !all.contains(where: { $0.name == name }) && !all.isEmpty {
            guard let function = model.declaration.functions.first(where: { $0.name == "indexedProperties" })
            else {
                continue
            }
            report(
                source, function.nameOffset,
                "'indexedProperties()' of class '\(model.name)' names '\(name)', which is no persisted property of it"
                    + suggestion(for: name, in: model))
        }
    }

    /// Checks for linking objects whose origin property is not a link.
    mutating func checkOrigin(of property: ModelProperty) {
        guard let (name, token) = property.origin, let target = property.type.model else { return }
        let source = property.model.declaration.source
        let offset = token.map { source.tokens[$0].start + 1 } ?? property.declaration.nameOffset
        guard let back = target.property(named: name) else {
            guard target.isComplete else { return }
            report(
                source, offset,
                """
                property '\(property.model.name).\(property.name)' has origin property '\(name)', which does not exist in \
                class '\(target.name)'\(suggestion(for: name, in: target))
                """)
            return
        }
        guard back.type.isKnown else { return }
        guard back.type.collection == .inverse || back.type.model !== property.model else { return }
        report(
            source, offset,
            """
            property '\(property.model.name).\(property.name)' has origin property '\(target.name).\(name)', which does not \
            link to class '\(property.model.name)'
            """)
    }

    func suggestion(for name: String, in model: Model) -> String {
        Spelling.suggestion(for: name, among: model.allProperties.map(\.name))
    }
}
