import KivoSourceModel

/// Checks of the dictionary literals from which objects are created. A key that names no property is ignored when the program
/// runs, because data of other programs may contain more than a class declares; in a literal it is a mistake.
struct LiteralValueChecks {
    let program: Program
    let source: SourceText

    /// Returns the problems of the literals in `create(Dog.self, value: […])`, `create(Dog.self, values: [[…], […]])` or
    /// `Dog(value: […])`.
    func diagnostics(of call: Expression.Call, in body: FunctionBody) -> [Diagnostic] {
        let literals: [Expression]
        if let value = call.arguments.first(where: { $0.label == "value" })?.value {
            literals = [value]
        } else if case .array(let values)? = call.arguments.first(where: { $0.label == "values" })?.value.bare
        {
            literals = values
        } else {
            return []
        }
        guard let model = createdModel(call, in: body) else { return [] }
        var found: [Diagnostic] = []
        for literal in literals { check(literal, of: model, &found) }
        return found
    }

    /// Returns the problems of the literals in `let dog: Dog = .init(value: […])` inside of a body.
    func diagnostics(ofDeclarationsIn body: FunctionBody) -> [Diagnostic] {
        body.bindings.flatMap { diagnostics(of: $0.value, declaredAs: $0.type, in: body.owner) }
    }

    /// Returns the problems of the literals in the default values of a type's properties, such as `var dog: Dog = .init(value: […])`.
    func diagnostics(ofPropertiesOf type: TypeDeclaration) -> [Diagnostic] {
        type.properties.flatMap { diagnostics(of: $0.value, declaredAs: $0.type, in: type) }
    }

    private func diagnostics(
        of value: Expression?, declaredAs type: TypeSyntax?, in owner: TypeDeclaration?
    ) -> [Diagnostic] {
        guard let type, case .call(let call)? = value?.bare,
            case .member(nil, "init", _) = call.function.bare,
            let literal = call.arguments.first(where: { $0.label == "value" })?.value,
            let model = program.declaration(of: type.unwrapped, in: owner).flatMap(program.model(of:))
        else { return [] }
        var found: [Diagnostic] = []
        check(literal, of: model, &found)
        return found
    }

    private func createdModel(_ call: Expression.Call, in body: FunctionBody) -> Model? {
        let path: [String]?
        switch call.function.bare {
        case .member(_, "create", _):
            guard case .type(let type)? = call.arguments.first?.value.bare else { return nil }
            path = type.path
        case .member(let base?, "init", _):
            if case .name("self", _) = base.bare { return body.owner.flatMap(program.model(of:)) }
            path = base.path
        case .name, .member: path = call.function.path
        default: return nil
        }
        guard let path else { return nil }
        return program.declaration(of: TypeSyntax(path: path), in: body.owner).flatMap(program.model(of:))
    }

    /// Adds the problems of a literal for an object of a class.
    private func check(_ value: Expression, of model: Model, _ found: inout [Diagnostic]) {
        guard case .dictionary(let pairs) = value.bare else { return }
        for (key, value) in pairs {
            guard case .string(let name, let token?) = key.bare else { continue }
            let property = model.property(named: name)
            if let property, property.type.collection != .inverse {
                checkParts(value, of: property.type, &found)
            } else if let problem = problem(ofKey: name, property, model, at: source.tokens[token].start + 1)
            {
                found.append(problem)
            }
        }
    }

    /// Adds the problems of the literals for the objects in a property.
    private func checkParts(_ value: Expression, of type: PropertyType, _ found: inout [Diagnostic]) {
        guard let model = type.model else { return }
        switch (type.collection, value.bare) {
        case (nil, _): check(value, of: model, &found)
        case (.map, .dictionary(let pairs)): for pair in pairs { check(pair.value, of: model, &found) }
        case (.list, .array(let elements)), (.set, .array(let elements)):
            for element in elements { check(element, of: model, &found) }
        default: break
        }
    }

    /// Returns the problem of a key whose value is ignored, or nil if a part of the class is unknown.
    private func problem(
        ofKey name: String, _ property: ModelProperty?, _ model: Model, at offset: Int
    ) -> Diagnostic? {
        let location = source.location(of: offset)
        if property != nil || model.declares(name) {
            return Diagnostic(
                .warning, location,
                "property '\(model.name).\(name)' is not persisted, so that this value is ignored: set it on the object"
            )
        }
        guard model.isComplete else { return nil }
        return Diagnostic(
            .error, location,
            "class '\(model.name)' has no property '\(name)', so that this value is ignored"
                + Spelling.suggestion(for: name, among: model.allProperties.map(\.name)))
    }
}
