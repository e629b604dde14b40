import KivoSourceModel

/// Checks of key paths that are written as strings.
struct KeyPathChecks {
    let program: Program

    /// A key path in a string literal.
    private struct Written {
        var components: [String]
        /// The offset of each component in the source, or of the literal.
        var offsets: [Int]
    }

    func diagnostics() -> [Diagnostic] {
        var found: [Diagnostic] = []
        let models = program.allModels
        for file in program.files {
            for body in file.bodies {
                for expression in body.expressions {
                    expression.forEach { part in
                        guard case .call(let call) = part else { return }
                        found += diagnostics(of: call, in: body, file.source, models)
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

    private func path(_ expression: Expression, _ source: SourceText) -> [Written] {
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
    private func diagnostic(_ path: Written, from model: Model, _ source: SourceText) -> Diagnostic? {
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
