extension Program {
    /// Returns the model to which the members of a declaration belong: a class, or an extension of one.
    package func extendedModel(_ type: TypeDeclaration) -> Model? {
        model(of: type.kind == .extension ? types[type.qualifiedName]?.first ?? type : type)
    }

    /// Returns the model that a class declares, or nil if it declares none.
    package func model(of type: TypeDeclaration) -> Model? {
        guard type.kind == .class else { return nil }
        if let known = models[ObjectIdentifier(type)] { return known }
        guard let kind = modelKind(of: type, depth: 0), kind.role != .projection else { return nil }
        let model = Model(
            type, kind.role, isComplete: kind.isComplete, superclass: kind.superclass.flatMap(model))
        models[ObjectIdentifier(type)] = model
        for declaration in type.properties
        where (declaration.persisted != nil || isOlderForm(declaration, in: type)) && !declaration.isStatic {
            let box = declaration.persisted == nil ? boxed(declaration) : nil
            model.properties.append(
                ModelProperty(
                    declaration, model,
                    box.map { persistedType($0, in: type) } ?? persistedType(of: declaration, in: type)))
        }
        model.readFunctions(type.functions)
        for part in extensions[type.qualifiedName] ?? [] { model.readFunctions(part.functions) }
        if !includesOlderForms { model.dropIgnored() }
        return model
    }

    /// Whether a property is a model property in one of realm-swift's older forms. Some of these forms need no change:
    /// collections in a `let`, and boxes.
    private func isOlderForm(_ property: PropertyDeclaration, in type: TypeDeclaration) -> Bool {
        guard !property.isComputed, !property.isStatic, property.attribute("Ignored") == nil else {
            return false
        }
        if boxed(property) != nil { return true }
        let isCollection = persistedType(of: property, in: type).collection != nil
        if includesOlderForms { return isCollection || property.attribute("dynamic") != nil }
        return isCollection && property.isLet && !persistedType(of: property, in: type).isOptionalCollection
    }

    /// Returns the type in a `RealmOptional` or a `RealmProperty`: the type of its `value`.
    package func boxed(_ property: PropertyDeclaration) -> TypeSyntax? {
        var type = property.type
        if type == nil, let value = property.value { type = typeOfLiteral(value, in: nil) }
        guard case .named(let components)? = type, let last = components.last else { return nil }
        guard let argument = last.arguments.first, last.arguments.count == 1 else { return nil }
        switch last.name {
        case "RealmOptional": return .optional(argument.unwrapped)
        case "RealmProperty": return argument
        default: return nil
        }
    }

    /// The target's models, in the order of the files and of their declarations.
    package var ownModels: [Model] { files.flatMap(\.types).compactMap(model) }

    /// All models in the sources, including those of the dependencies.
    package var allModels: [Model] {
        types.values.joined().compactMap(model).sorted { $0.declaration.location < $1.declaration.location }
    }

    private struct ClassKind {
        var role: Model.Role
        var isComplete: Bool
        var superclass: TypeDeclaration?
    }

    private func modelKind(of type: TypeDeclaration, depth: Int) -> ClassKind? {
        guard depth < 64, let first = type.inherited.first else { return nil }
        if let superclass = declaration(of: first, in: type.outer ?? type), superclass !== type {
            guard superclass.kind == .class, var kind = modelKind(of: superclass, depth: depth + 1) else {
                return nil
            }
            kind.superclass = superclass
            kind.isComplete = kind.isComplete && !type.hasConditionalMembers
            return kind
        }
        let isComplete = !type.hasConditionalMembers
        switch foreignName(of: first, in: type.outer) {
        case "Object": return ClassKind(role: .object, isComplete: isComplete)
        case "EmbeddedObject": return ClassKind(role: .embedded, isComplete: isComplete)
        case "Projection": return ClassKind(role: .projection, isComplete: isComplete)
        default: return nil
        }
    }

    /// Returns the model class that a projection class projects, or nil if the class is no projection.
    package func projectedModel(of type: TypeDeclaration) -> Model? {
        var type = type
        for _ in 0..<64 {
            guard let first = type.inherited.first else { return nil }
            if case .named(let components) = first, components.last?.name == "Projection",
                let root = components.last?.arguments.first, let declaration = declaration(of: root, in: type)
            {
                return model(of: declaration)
            }
            guard let superclass = declaration(of: first, in: type.outer), superclass !== type else {
                return nil
            }
            type = superclass
        }
        return nil
    }

    /// Whether a class may have an external superclass that makes it a model.
    package func hasUnknownSuperclass(_ type: TypeDeclaration) -> Bool {
        guard let first = type.inherited.first else { return false }
        if let superclass = declaration(of: first, in: type.outer), superclass !== type {
            return superclass.kind == .class && hasUnknownSuperclass(superclass)
        }
        return modelKind(of: type, depth: 0) == nil
    }
}
