import KivoSourceModel

extension ClassPlanner {
    func planProperties(_ plan: ClassPlan) {
        let type = plan.type
        let names = Set(type.properties.map(\.name))
        let key = type.functions.first { $0.name == "primaryKey" && $0.isStatic }
        let keyName = key.flatMap(returnedNames)?.first
        let indexed = type.functions.first { $0.name == "indexedProperties" && $0.isStatic }
        let indexedNames = indexed.flatMap(returnedNames)
        let ignored = type.functions.first { $0.name == "ignoredProperties" && $0.isStatic }
        let ignoredNames = ignored.flatMap(returnedNames)
        for property in type.properties where !property.isStatic {
            guard property.persisted == nil, property.attribute("Ignored") == nil else { continue }
            planProperty(
                property, plan, key: keyName, indexed: indexedNames ?? [], ignored: ignoredNames ?? [])
        }
        // A function is obsolete if all names that it returns are properties of this class.
        let wrapped = Set(
            plan.properties.compactMap { property -> String? in
                if case .persisted = property.decision { return property.declaration.name }
                return nil
            })
        for (function, found, what) in [
            (key, keyName.map { [$0] }, "primaryKey"), (indexed, indexedNames, "indexedProperties"),
        ] {
            guard let function else { continue }
            if let found, found.allSatisfy(wrapped.contains) {
                plan.removedFunctions.append(function)
            } else if found == nil
                || !found!.allSatisfy({ name in
                    type.properties.contains { $0.name == name && $0.persisted != nil }
                })
            {
                plan.leave(
                    function.nameOffset,
                    "'\(what)()' of class '\(type.name)' stays: it names what is not declared in the class itself, or computes it"
                )
            }
        }
        guard let ignored else { return }
        if let ignoredNames, ignoredNames.allSatisfy({ names.contains($0) && !wrapped.contains($0) }) {
            // Collections without a wrapper must still be listed.
            let bare = type.properties.contains { property in
                ignoredNames.contains(property.name)
                    && program.persistedType(of: property, in: type).collection != nil
                    && !plan.properties.contains { $0.declaration.name == property.name }
            }
            if !bare { plan.removedFunctions.append(ignored) }
        } else {
            plan.leave(
                ignored.nameOffset,
                "'ignoredProperties()' of class '\(type.name)' stays: it computes names, or names what is not here"
            )
        }
    }

    /// Returns the names that a class function returns as literals or as `#keyPath`s.
    private func returnedNames(_ function: FunctionDeclaration) -> [String]? {
        func name(_ expression: Expression) -> String? {
            switch expression.bare {
            case .string(let text, _): text
            case .keyPath(let components, true, _): components.last
            default: nil
            }
        }
        guard let returned = function.returned else { return nil }
        if case .array(let elements) = returned {
            let names = elements.compactMap(name)
            return names.count == elements.count ? names : nil
        }
        return name(returned).map { [$0] }
    }

    private func planProperty(
        _ property: PropertyDeclaration, _ plan: ClassPlan, key: String?, indexed: [String], ignored: [String]
    ) {
        let type = plan.type
        let name = "\(type.name).\(property.name)"
        let isDynamic = isDynamic(property, in: type)
        if property.isComputed {
            guard isDynamic || property.attribute("objc") != nil else { return }
            if isDynamic, property.attribute("override") == nil { plan.computed.append(property.name) }
            let isBracketed =
                isDynamic && property.accessor(.set).map { brackets(property, $0, in: type, plan) } ?? false
            plan.properties.append(
                ClassPlan.Property(declaration: property, decision: .plain, isBracketed: isBracketed))
            return
        }
        if ["weak", "unowned", "lazy", "NSManaged", "IBOutlet"].contains(where: {
            property.attribute($0) != nil
        }) {
            guard isDynamic else { return }
            plan.properties.append(ClassPlan.Property(declaration: property, decision: .plain))
            plan.leave(
                property.nameOffset,
                "'\(name)' is weak or lazy, and can be neither stored nor observed any more")
            return
        }
        if ignored.contains(property.name) {
            guard isDynamic else { return }
            let canBeObserved = hasDefault(property)
            plan.properties.append(
                ClassPlan.Property(declaration: property, decision: canBeObserved ? .ignored : .plain))
            return
        }
        let arguments =
            property.name == key
            ? "(primaryKey: true)" : indexed.contains(property.name) ? "(indexed: true)" : ""
        if let box = program.boxed(property) {
            let value = argument(of: property, in: type.source).map { " = \($0)" } ?? ""
            plan.properties.append(
                ClassPlan.Property(
                    declaration: property, decision: .persisted(arguments), suffix: ": \(box.text)\(value)",
                    isBox: true))
            return
        }
        let found = program.persistedType(of: property, in: type)
        if let collection = found.collection, !found.isOptionalCollection {
            planCollection(property, found, collection, plan)
            return
        }
        guard isDynamic else { return }
        if property.accessor(.didSet) != nil || property.accessor(.willSet) != nil {
            plan.leave(
                property.nameOffset,
                "the observers of '\(name)' run for managed objects, too, which they did not; 'didSet' after key-value observers were notified"
            )
        }
        planValue(property, found, arguments, plan)
    }

    private func hasDefault(_ property: PropertyDeclaration) -> Bool {
        if property.value != nil { return true }
        if case .optional? = property.type { return !property.isLet }
        return false
    }

    /// Returns the argument of a box's initialiser.
    private func argument(of property: PropertyDeclaration, in source: SourceText) -> String? {
        guard case .call(let call)? = property.value?.bare, !call.arguments.isEmpty,
            let range = property.valueRange
        else { return nil }
        var index = source.tokenIndex(from: range.lowerBound)
        while index < source.tokens.count, !source.matches(index, "(") { index += 1 }
        let end = source.index(afterBracketAt: index)
        guard end > index + 2, source.tokens[end - 1].end <= range.upperBound else { return nil }
        return source.text(source.tokens[index].end..<source.tokens[end - 1].start)
    }

    private func planCollection(
        _ property: PropertyDeclaration, _ found: PropertyType, _ collection: PropertyType.Collection,
        _ plan: ClassPlan
    ) {
        var arguments = ""
        if collection == .inverse {
            guard case .call(let call)? = property.value?.bare,
                let origin = call.arguments.first(where: { $0.label == "property" })?.value,
                let name = origin.literal ?? origin.keyPathName
            else {
                plan.leave(
                    property.nameOffset,
                    "'\(plan.type.name).\(property.name)': say which property the links are of, by '@Persisted(originProperty:)'"
                )
                return
            }
            arguments = "(originProperty: \"\(name)\")"
        }
        // An empty collection needs no default value.
        var value = ""
        if let range = property.valueRange, collection != .inverse, !isEmptyCall(property.value) {
            value = " = " + plan.type.source.text(range)
        }
        let type = property.type?.text ?? found.text
        let suffix = property.type == nil || property.value != nil ? ": \(type)\(value)" : nil
        plan.properties.append(
            ClassPlan.Property(declaration: property, decision: .persisted(arguments), suffix: suffix))
    }

    private func isEmptyCall(_ expression: Expression?) -> Bool {
        guard case .call(let call)? = expression?.bare else { return false }
        return call.arguments.isEmpty
    }

    private func planValue(
        _ property: PropertyDeclaration, _ declared: PropertyType, _ arguments: String, _ plan: ClassPlan
    ) {
        let type = plan.type
        let name = "\(type.name).\(property.name)"
        var found = declared
        var suffix: String?
        if let (text, bridged) = bridged(property, in: type) {
            suffix = text
            found = program.persistedType(bridged, in: type)
        }
        var isStorable = true
        switch found.value {
        case .unsupported:
            let written = property.type ?? property.value.flatMap { program.typeOfLiteral($0, in: type) }
            isStorable =
                written.flatMap { program.declaration(of: $0.unwrapped, in: type) }.map(canBePersistable)
                ?? false
        case .model: isStorable = found.isOptional
        case .scalar, .anyValue, .enumeration, .custom, .unknown: break
        }
        if isStorable {
            plan.properties.append(
                ClassPlan.Property(declaration: property, decision: .persisted(arguments), suffix: suffix))
            return
        }
        let shown = declared.valueText.isEmpty ? "its type" : "type '\(declared.valueText)'"
        plan.leave(
            property.nameOffset,
            "'\(name)' is left as it is: values of \(shown) cannot be stored; see the KivoModels plugin")
    }

    /// Objective-C types of Foundation, with their counterparts in Swift.
    private static let bridges = ["NSDate": "Date", "NSData": "Data", "NSString": "String", "NSUUID": "UUID"]

    /// Returns the new type and default value for a property of such a type.
    private func bridged(_ property: PropertyDeclaration, in type: TypeDeclaration) -> (
        text: String, type: TypeSyntax
    )? {
        var found = property.type
        if found == nil, case .call(let call)? = property.value?.bare {
            found = call.function.path.map(TypeSyntax.init(path:))
        }
        guard let found, let path = found.unwrapped.path, path.count == 1, let name = Self.bridges[path[0]]
        else { return nil }
        var value = ""
        switch property.value?.bare {
        case nil: break
        case .null: value = " = nil"
        case .string?, .number?: value = " = " + type.source.text(property.valueRange!)
        case .call(let call) where call.arguments.isEmpty && call.function.path == path:
            value = " = \(name)()"
        default: return nil
        }
        let isOptional = if case .optional = found { true } else { false }
        let written: TypeSyntax = isOptional ? .optional(.name(name)) : .name(name)
        return (property.type == nil ? value : ": \(written.text)\(value)", written)
    }

    /// Whether an enum only needs a conformance to `PersistableEnum`.
    func canBePersistable(_ type: TypeDeclaration) -> Bool {
        guard type.kind == .enum, let raw = program.rawType(of: type), ScalarName(rawValue: raw) != nil else {
            return false
        }
        return program.isOwn(type) && program.conformance(of: type, to: Program.enumProtocols) == .no
    }
}

extension Expression {
    /// The last name of an Objective-C key path.
    var keyPathName: String? {
        guard case .keyPath(let components, true, _) = bare else { return nil }
        return components.last
    }
}
