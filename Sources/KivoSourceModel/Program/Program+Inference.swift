/// The inferred type of an expression, if it is an object of a model or a collection of them.
package struct Inferred {
    package var model: Model
    /// Whether it is a collection of objects instead of one object.
    package var isCollection: Bool

    package init(model: Model, isCollection: Bool) {
        self.model = model
        self.isCollection = isCollection
    }
}

extension Program {
    private static let sameCollection: Set<String> = [
        "filter", "where", "sorted", "distinct", "freeze", "thaw", "lazy", "reversed", "prefix", "suffix",
        "dropFirst",
        "dropLast", "values",
    ]
    private static let element: Set<String> = ["first", "last", "randomElement", "min", "max", "popLast"]
    private static let sameObject: Set<String> = ["freeze", "thaw", "rootObject"]

    /// Returns the inferred type of an expression in a body, or nil if it is unknown.
    package func inferred(_ expression: Expression, in body: FunctionBody, depth: Int = 0) -> Inferred? {
        guard depth < 40 else { return nil }
        func infer(_ expression: Expression) -> Inferred? { inferred(expression, in: body, depth: depth + 1) }
        switch expression.bare {
        case .name(let name, _): return inferred(name: name, in: body, depth: depth)
        case .element(let base):
            guard let base = infer(base), base.isCollection else { return nil }
            return Inferred(model: base.model, isCollection: false)
        case .other(let parts):
            // In a subscript, the base is the first part.
            guard case .element? = parts.first else { return nil }
            return infer(parts[0])
        case .member(let base?, let name, _):
            if case .name("self", _) = base.bare {
                return body.owner.flatMap { inferred(member: name, of: $0) }
            }
            guard let base = infer(base) else { return nil }
            if base.isCollection {
                if Self.sameCollection.contains(name) { return base }
                return Self.element.contains(name) ? Inferred(model: base.model, isCollection: false) : nil
            }
            if let property = base.model.property(named: name) { return Self.inferred(property.type) }
            return Self.sameObject.contains(name) ? base : nil
        case .call(let call): return inferred(call, in: body, depth: depth)
        default: return nil
        }
    }

    private func inferred(_ call: Expression.Call, in body: FunctionBody, depth: Int) -> Inferred? {
        func model(_ argument: Expression?) -> Model? {
            guard case .type(let type)? = argument?.bare, let path = type.path,
                let declaration = declaration(of: TypeSyntax(path: path), in: body.owner)
            else { return nil }
            return self.model(of: declaration) ?? projectedModel(of: declaration)
        }
        switch call.function.bare {
        case .member(_, "objects", _):
            return model(call.arguments.first?.value).map { Inferred(model: $0, isCollection: true) }
        case .member(_, "object", _), .member(_, "create", _):
            return model(call.arguments.first?.value).map { Inferred(model: $0, isCollection: false) }
        case .member: return inferred(call.function, in: body, depth: depth + 1)
        case .name, .generic:
            guard let path = call.function.path,
                let declaration = declaration(of: TypeSyntax(path: path), in: body.owner)
            else {
                guard case .generic(let base, let arguments) = call.function.bare, let name = base.path?.last
                else {
                    return nil
                }
                let type = TypeSyntax.named([TypeSyntax.Component(name: name, arguments: arguments)])
                return Self.inferred(persistedType(type, in: body.owner))
            }
            return self.model(of: declaration).map { Inferred(model: $0, isCollection: false) }
        default: return nil
        }
    }

    private func inferred(name: String, in body: FunctionBody, depth: Int) -> Inferred? {
        if name == "self" {
            return body.owner.flatMap(extendedModel).map { Inferred(model: $0, isCollection: false) }
        }
        let bindings = body.bindings(of: name)
        // A name that is bound twice is ambiguous.
        if bindings.count > 1 { return nil }
        guard let binding = bindings.first else {
            return body.owner.flatMap { inferred(member: name, of: $0) }
        }
        if let type = binding.type { return inferred(type, in: body.owner) }
        guard let value = binding.value else { return nil }
        return inferred(value, in: body, depth: depth + 1)
    }

    /// Returns the class of which an expression is an instance, as far as the declarations in these sources determine it.
    package func inferredClass(_ expression: Expression, in body: FunctionBody, depth: Int = 0)
        -> TypeDeclaration?
    {
        guard depth < 40 else { return nil }
        switch expression.bare {
        case .name("self", _): return body.owner.flatMap { types[$0.qualifiedName]?.first }
        case .name(let name, _):
            let bindings = body.bindings(of: name)
            if bindings.count > 1 { return nil }
            guard let binding = bindings.first else {
                return body.owner.flatMap { memberClass(name, of: $0, depth) }
            }
            if let type = binding.type { return declaration(of: type.unwrapped, in: body.owner) }
            return binding.value.flatMap { inferredClass($0, in: body, depth: depth + 1) }
        case .member(let base?, let name, _):
            return inferredClass(base, in: body, depth: depth + 1).flatMap {
                memberClass(name, of: $0, depth)
            }
        case .call(let call):
            guard var path = call.function.path else { return nil }
            if path.last == "init" { path.removeLast() }
            return declaration(of: TypeSyntax(path: path), in: body.owner)
        default: return nil
        }
    }

    /// Returns the class of a property of a type or of its superclasses.
    private func memberClass(_ name: String, of type: TypeDeclaration, _ depth: Int) -> TypeDeclaration? {
        let parts = (types[type.qualifiedName] ?? [type]) + (extensions[type.qualifiedName] ?? [])
        for part in parts {
            guard let property = part.properties.first(where: { $0.name == name }) else { continue }
            if let type = property.type { return declaration(of: type.unwrapped, in: part) }
            let body = FunctionBody(owner: part.outer, parameters: [], bindings: [], expressions: [])
            return property.value.flatMap { inferredClass($0, in: body, depth: depth + 1) }
        }
        return superclass(of: type).flatMap { depth < 40 ? memberClass(name, of: $0, depth + 1) : nil }
    }

    /// Returns the superclass of a class, if these sources declare it.
    package func superclass(of type: TypeDeclaration) -> TypeDeclaration? {
        type.inherited.first.flatMap { declaration(of: $0, in: type.outer) }
            .flatMap { $0.kind == .class && $0 !== type ? $0 : nil }
    }

    /// Returns the inferred type of a member of a type.
    private func inferred(member name: String, of type: TypeDeclaration) -> Inferred? {
        let parts = (types[type.qualifiedName] ?? []) + (extensions[type.qualifiedName] ?? [])
        for part in parts {
            guard let property = part.properties.first(where: { $0.name == name }) else { continue }
            if let type = property.type { return inferred(type, in: part) }
            guard let value = property.value else { return nil }
            return inferred(
                value, in: FunctionBody(owner: nil, parameters: [], bindings: [], expressions: []))
        }
        return parts.compactMap(model(of:)).first?.superclass.flatMap {
            inferred(member: name, of: $0.declaration)
        }
    }

    private func inferred(_ type: TypeSyntax, in scope: TypeDeclaration?) -> Inferred? {
        let (type, scope) = resolved(type.unwrapped, in: scope)
        if case .named(let components) = type, let last = components.last, last.arguments.count == 1,
            ["Results", "AnyRealmCollection", "Slice"].contains(last.name)
        {
            return declaration(of: last.arguments[0], in: scope).flatMap {
                model(of: $0) ?? projectedModel(of: $0)
            }
            .map { Inferred(model: $0, isCollection: true) }
        }
        return Self.inferred(persistedType(type, in: scope))
    }

    private static func inferred(_ type: PropertyType) -> Inferred? {
        type.model.map { Inferred(model: $0, isCollection: type.collection != nil) }
    }
}
