import KivoSourceModel

/// Checks of key paths that are written as strings.
struct KeyPathChecks {
    let program: Program

    /// A key path in a string literal.
    struct Written {
        var components: [String]
        /// The offset of each component in the source, or of the literal.
        var offsets: [Int]
    }

    func diagnostics() -> [Diagnostic] {
        var found: [Diagnostic] = []
        let models = program.allModels
        for file in program.files {
            let literals = LiteralValueChecks(program: program, source: file.source)
            for type in file.types { found += literals.diagnostics(ofPropertiesOf: type) }
            for body in file.bodies {
                found += literals.diagnostics(ofDeclarationsIn: body)
                for expression in body.expressions {
                    expression.forEach { part in
                        guard case .call(let call) = part else { return }
                        found += diagnostics(of: call, in: body, file.source, models)
                        found += literals.diagnostics(of: call, in: body)
                        found += namedKeyDiagnostics(of: call, in: body, file.source)
                    }
                }
            }
        }
        return found
    }

    private func diagnostics(
        of call: Expression.Call, in body: FunctionBody, _ source: SourceText, _ models: [Model]
    ) -> [Diagnostic] {
        let base: Expression?
        let name: String
        switch call.function.bare {
        case .member(let object, let member, _): (base, name) = (object, member)
        case .name(let function, _): (base, name) = (nil, function)
        default: return []
        }
        var paths: [Written] = []
        for (index, argument) in call.arguments.enumerated() {
            switch argument.label {
            case "keyPaths": paths += list(argument.value, source)
            case "byKeyPath", "ofProperty": paths += path(argument.value, source)
            case "by" where name == "distinct": paths += list(argument.value, source)
            case nil where name == "filter" && index == 0, "matching" where name == "index":
                paths += predicate(argument.value, source)
            default: break
            }
        }
        if paths.isEmpty { return [] }
        let known =
            base.flatMap { program.inferred($0, in: body) }
            ?? (base == nil
                ? body.owner.flatMap(program.model(of:)).map { Inferred(model: $0, isCollection: false) }
                : nil)
        // The key paths of a projection may name more than the properties of its class.
        let isProjection = base.map(mentionsProjection(body)) ?? false
        return paths.compactMap { path in
            if let known, !isProjection { return diagnostic(path, from: known.model, source) }
            return diagnostic(path, among: models, source)
        }
    }

    private func mentionsProjection(_ body: FunctionBody) -> (Expression) -> Bool {
        { base in
            var isOne = false
            base.forEach { part in
                guard case .type(let type) = part, let path = type.path,
                    let declaration = program.declaration(
                        of: TypeSyntax(path: path), in: body.owner)
                else { return }
                isOne = isOne || program.projectedModel(of: declaration) != nil
            }
            return isOne
        }
    }

    private func list(_ expression: Expression, _ source: SourceText) -> [Written] {
        guard case .array(let elements) = expression.bare else { return [] }
        return elements.flatMap { path($0, source) }
    }

    func path(_ expression: Expression, _ source: SourceText) -> [Written] {
        guard case .string(let text, let token?) = expression.bare else { return [] }
        let literal = StringLiteral(source.tokens[token], in: source)
        var written = Written(components: [], offsets: [])
        var offset = 0
        for component in text.split(separator: ".", omittingEmptySubsequences: false) {
            written.components.append(String(component))
            written.offsets.append(
                offset < literal.offsets.count ? literal.offsets[offset] : source.tokens[token].start)
            offset += component.utf8.count + 1
        }
        return [written]
    }

    private func predicate(_ expression: Expression, _ source: SourceText) -> [Written] {
        var expression = expression.bare
        if case .call(let call) = expression, call.function.path == ["NSPredicate"],
            let format = call.arguments.first, format.label == "format"
        {
            expression = format.value.bare
        }
        guard case .string(_, let token?) = expression else { return [] }
        let literal = StringLiteral(source.tokens[token], in: source)
        return (PredicatePaths.paths(in: literal.value) ?? []).map { path in
            Written(components: path.components, offsets: path.offsets.map { literal.offsets[$0] })
        }
    }

    /// Returns the problem of a key path that begins at a class, or nil.
    func diagnostic(_ path: Written, from model: Model, _ source: SourceText) -> Diagnostic? {
        var model = model
        for (index, name) in path.components.enumerated() {
            if name.isEmpty || name.hasPrefix("@") || name == "self" || name == "isInvalidated" { return nil }
            guard let property = property(name, of: model) else {
                guard model.isComplete, !model.hasComputedFunctions else { return nil }
                // Properties that are not persisted can be observed, too.
                if model.declares(name) { return nil }
                return Diagnostic(
                    .error, source.location(of: path.offsets[index]),
                    """
                    class '\(model.name)' has no property '\(name)'\
                    \(Spelling.suggestion(for: name, among: model.allProperties.map(\.name)))
                    """)
            }
            guard index + 1 < path.components.count else { return nil }
            // The keys of a map, and the parts of mapped values and of values of any type, are not declared.
            if property.type.collection == .map { return nil }
            switch property.type.value {
            case .model(let next): model = next
            case .scalar, .enumeration:
                let next = path.components[index + 1]
                if next.hasPrefix("@") || next == "rawValue" || next == "isInvalidated" { return nil }
                return Diagnostic(
                    .error, source.location(of: path.offsets[index + 1]),
                    """
                    '\(model.name).\(name)' is of type '\(property.type.valueText)', which has no property '\(next)' that \
                    key paths can name
                    """)
            case .anyValue, .custom, .unsupported, .unknown: return nil
            }
        }
        return nil
    }

    private func property(_ name: String, of model: Model) -> ModelProperty? {
        model.property(named: name) ?? model.allProperties.first { model.storedName(of: $0) == name }
    }

    /// Returns the problem of a key path with an unknown base, or nil if some class has its first property.
    private func diagnostic(_ path: Written, among models: [Model], _ source: SourceText) -> Diagnostic? {
        guard let first = path.components.first, !first.isEmpty, !first.hasPrefix("@"), first != "self",
            first != "isInvalidated", !models.isEmpty,
            models.allSatisfy({ $0.isComplete && !$0.hasComputedFunctions })
        else { return nil }
        if models.contains(where: { property(first, of: $0) != nil || $0.declares(first) }) { return nil }
        let projected = program.files.flatMap(\.types).flatMap(\.properties).filter {
            $0.attribute("Projected") != nil
        }
        if projected.contains(where: { $0.name == first }) { return nil }
        let names = models.flatMap { $0.allProperties.map(\.name) }
        return Diagnostic(
            .warning, source.location(of: path.offsets[0]),
            "no class has a property '\(first)'\(Spelling.suggestion(for: first, among: names))")
    }
}

/// Checks of the keys by which values are observed, read and set.
extension KeyPathChecks {
    /// The use of a key.
    private enum Use { case announcing, observing, reading, setting }

    /// Returns the problems of `forKey:` and `forKeyPath:` in a call, if the class of its base is known.
    func namedKeyDiagnostics(
        of call: Expression.Call, in body: FunctionBody, _ source: SourceText
    ) -> [Diagnostic] {
        guard
            let argument = call.arguments.first(where: { $0.label == "forKey" || $0.label == "forKeyPath" }),
            let path = path(argument.value, source).first
        else { return [] }
        let base: Expression
        let use: Use
        switch call.function.bare {
        case .member(let object?, let function, _): (base, use) = (object, Self.use(function))
        case .name(let function, _): (base, use) = (.name("self", token: nil), Self.use(function))
        default: return []
        }
        guard let type = program.inferredClass(base, in: body) else { return [] }
        return [diagnostic(path, from: type, use, source)].compactMap { $0 }
    }

    private static func use(_ function: String) -> Use {
        switch function {
        case "setValue": .setting
        case "addObserver", "removeObserver": .observing
        case "willChangeValue", "didChangeValue", "willChange", "didChange": .announcing
        default: .reading
        }
    }

    /// Returns the problem of a key path that begins at a class, or nil.
    private func diagnostic(
        _ path: Written, from type: TypeDeclaration, _ use: Use, _ source: SourceText
    ) -> Diagnostic? {
        var type = type
        for (index, name) in path.components.enumerated() {
            if name.isEmpty || name.hasPrefix("@") || name == "self" { return nil }
            if let model = program.model(of: type) {
                if model.handlesKeys { return nil }
                let rest = Written(
                    components: Array(path.components[index...]), offsets: Array(path.offsets[index...]))
                return diagnostic(rest, from: model, source)
            }
            guard let found = program.observableClass(of: type), found.isComplete else { return nil }
            let isLast = index + 1 == path.components.count
            if let problem = problem(of: name, in: found, isLast ? use : .reading) {
                return Diagnostic(problem.severity, source.location(of: path.offsets[index]), problem.message)
            }
            guard let next = found.types[name].flatMap({ program.declaration(of: $0.unwrapped, in: type) })
            else {
                return nil
            }
            type = next
        }
        return nil
    }

    private func problem(
        of name: String, in type: ObservableClass, _ use: Use
    ) -> (severity: Diagnostic.Severity, message: String)? {
        let property = "'\(type.declaration.name).\(name)'"
        switch (type.keys[name], use) {
        case (nil, .announcing) where type.foundationClass != nil: return nil
        case (nil, _):
            let suggestion = Spelling.suggestion(for: name, among: Array(type.keys.keys))
            let isInherited = suggestion.isEmpty && type.foundationClass != nil
            let advice =
                isInherited
                ? "; if it is one of '\(type.foundationClass!)', give it a name in 'computedProperties()'"
                : suggestion
            return (.error, "class '\(type.declaration.name)' has no property '\(name)'\(advice)")
        case (.observed?, _), (.computed?, _), (.plain?, .reading), (_, .announcing),
            (.plain(isLet: true)?, .observing):
            return nil
        case (.unnamed?, _):
            return (
                .error, "computed property \(property) has no name: give it one in 'computedProperties()'"
            )
        case (.plain?, .setting):
            return (.error, "property \(property) cannot be set by name: declare it '@Observed'")
        case (.plain?, .observing):
            if type.announces { return nil }
            return (.warning, "nobody announces changes of property \(property): declare it '@Observed'")
        }
    }
}

extension Model {
    /// Whether the class has code for keys that name no property.
    fileprivate var handlesKeys: Bool {
        let isHandled = declaration.functions.contains { $0.name == "value" || $0.name == "setValue" }
        return isHandled || (superclass?.handlesKeys ?? false)
    }
}
