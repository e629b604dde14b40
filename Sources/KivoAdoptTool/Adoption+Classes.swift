import KivoSourceModel

extension Adoption {
    /// Rewrites a class.
    func apply(_ plan: ClassPlan) {
        let type = plan.type
        let source = type.source
        for attribute in type.attributes where attribute.name == "objcMembers" || attribute.name == "objc" {
            edit(source) { $0.removeWithBlanks(attribute.range) }
        }
        conform(plan)
        for property in plan.properties { apply(property, of: plan) }
        for function in plan.removedFunctions { edit(source) { $0.removeLines(function.range) } }
        for function in plan.requirements {
            for attribute in function.attributes where attribute.name == "override" {
                edit(source) { $0.removeWithBlanks(attribute.range) }
            }
        }
        if plan.origin == .realm {
            for function in type.functions where function.name == "init" {
                // `override` is implied for a required initialiser.
                guard function.attributes.contains(where: { $0.name == "required" }) else { continue }
                for attribute in function.attributes where attribute.name == "override" {
                    edit(source) { $0.removeWithBlanks(attribute.range) }
                }
            }
        }
        nameComputedProperties(of: plan)
        for declaration in plan.overridable { insert(declaration, plan) }
        if let name = plan.storedName {
            insert("override class func _realmObjectName() -> String? { \"\(name)\" }", plan)
        }
    }

    /// Adds the protocols to which a class is to conform, and rewrites the calls of a superclass that it loses.
    private func conform(_ plan: ClassPlan) {
        let (type, source) = (plan.type, plan.type.source)
        guard !plan.conformances.isEmpty else { return }
        let names = plan.conformances.joined(separator: ", ")
        edit(source) { edits in
            if let first = type.inheritedRanges.first {
                if plan.losesSuperclass {
                    edits.replace(first, with: names)
                } else {
                    edits.insert(", \(names)", at: first.upperBound)
                }
            } else {
                edits.insert(": \(names)", at: source.tokens[source.tokenIndex(from: type.nameOffset)].end)
            }
        }
        guard plan.conformances.contains("KeyValueObservable") else { return }
        let body = type.brace..<source.index(afterBracketAt: type.brace)
        for index in body where source.matches(index, "super") && source.matches(index + 1, ".") {
            rewriteSuper(at: index, plan)
        }
    }

    /// Rewrites a call of a function that the superclass does not have, or no longer.
    private func rewriteSuper(at index: Int, _ plan: ClassPlan) {
        let source = plan.type.source
        let name = source.name(of: source.tokens[index + 2])
        let isRequired = plan.requirements.contains { $0.name == name }
        guard plan.losesSuperclass || isRequired else { return }
        let end = source.index(afterBracketAt: index + 3)
        guard source.matches(index + 3, "("), end <= source.tokens.count,
            let replacement = ClassPlanner.replacement(ofSuper: name)
        else {
            leave(
                source, source.tokens[index].start,
                "'super.\(name)': the class has no superclass with it; the default of KeyValueObservable traps"
            )
            return
        }
        let range = source.tokens[index].start..<source.tokens[end - 1].end
        edit(source) { edits in
            if replacement.isEmpty {
                edits.removeLines(range)
            } else {
                edits.replace(range, with: replacement)
            }
        }
    }

    private func apply(_ property: ClassPlan.Property, of plan: ClassPlan) {
        let source = plan.type.source
        let declaration = property.declaration
        let removed = declaration.attributes.filter { $0.name == "objc" || $0.name == "dynamic" }
        let wrapper: String? =
            switch property.decision {
            case .persisted(let arguments): "@Persisted\(arguments) "
            case .ignored: "@Ignored "
            case .observed: "@Observed "
            case .plain: nil
            }
        if let value = declaration.type
            ?? declaration.value.flatMap({ program.typeOfLiteral($0, in: plan.type) })
        {
            adoptEnum(value, in: plan.type, property.decision)
        }
        let nameIndex = source.tokenIndex(from: declaration.nameOffset)
        edit(source) { edits in
            if declaration.isGrouped, source.matches(nameIndex - 1, ",") {
                // A wrapper applies to one variable: the others get separate declarations.
                let start = source.lineStart(of: declaration.range.lowerBound)
                let indentation = source.text(start..<declaration.range.lowerBound).prefix {
                    $0 == " " || $0 == "\t"
                }
                let others = declaration.attributes.filter { $0.name != "objc" && $0.name != "dynamic" }
                    .sorted { $0.range.lowerBound < $1.range.lowerBound }.map { source.text($0.range) + " " }
                    .joined()
                edits.replace(
                    source.tokens[nameIndex - 1].start..<declaration.nameOffset,
                    with: "\n\(indentation)\(wrapper ?? "")\(others)var ")
            } else {
                if let wrapper { edits.insert(wrapper, at: declaration.range.lowerBound) }
                for attribute in removed { edits.removeWithBlanks(attribute.range) }
                if declaration.isLet, wrapper != nil {
                    edits.replace(declaration.keyword..<declaration.keyword + 3, with: "var")
                }
            }
            guard let suffix = property.suffix else { return }
            let end = declaration.valueRange?.upperBound ?? declaration.typeRange?.upperBound
            let start =
                suffix.hasPrefix(":")
                ? source.tokens[nameIndex].end
                : declaration.typeRange?.upperBound ?? source.tokens[nameIndex].end
            edits.replace(start..<max(start, end ?? start), with: suffix)
        }
    }

    /// Takes an enum off the Objective-C runtime, and makes it conform to `PersistableEnum` if it is stored.
    private func adoptEnum(
        _ type: TypeSyntax, in scope: TypeDeclaration, _ decision: ClassPlan.Property.Decision
    ) {
        guard let declaration = program.declaration(of: type.unwrapped, in: scope), declaration.kind == .enum,
            program.isOwn(declaration)
        else { return }
        switch decision {
        case .ignored, .plain: return
        case .observed, .persisted: break
        }
        edit(declaration.source) { edits in
            for attribute in declaration.attributes where attribute.name == "objc" {
                edits.removeWithBlanks(attribute.range)
            }
        }
        guard case .persisted = decision else { return }
        let planner = ClassPlanner(program: program, files: [])
        guard planner.canBePersistable(declaration), let last = declaration.inheritedRanges.last else {
            return
        }
        needsKivo.insert(ObjectIdentifier(declaration.source))
        edit(declaration.source) { $0.insert(", PersistableEnum", at: last.upperBound) }
    }

    /// Adds a declaration at the beginning of a class.
    private func insert(_ declaration: String, _ plan: ClassPlan) {
        let (type, source) = (plan.type, plan.type.source)
        let start = source.lineStart(of: source.tokens[type.brace].start)
        let outer = source.text(start..<source.tokens[type.brace].start).prefix { $0 == " " || $0 == "\t" }
        edit(source) {
            $0.insert(
                "\n\(outer)    \(plan.publicPrefix)\(declaration)\n", at: source.tokens[type.brace].end)
        }
    }

    /// Lists the computed properties that were found by name before.
    private func nameComputedProperties(of plan: ClassPlan) {
        let type = plan.type
        guard !plan.computed.isEmpty, plan.origin == .cocoa,
            !type.functions.contains(where: { $0.name == "computedProperties" }),
            type.brace < type.source.tokens.count,
            let last = type.properties.last(where: { plan.computed.contains($0.name) })
        else { return }
        let start = type.source.lineStart(of: last.range.lowerBound)
        let indentation = type.source.text(start..<last.range.lowerBound).prefix { $0 == " " || $0 == "\t" }
        let entries = plan.computed.map { "\"\($0)\": \\\(type.qualifiedName).\($0)" }.joined(separator: ", ")
        let end = type.source.afterAccessors(of: last)
        var text = "[\(entries)]"
        if plan.overridesComputed { text = "super.computedProperties().merging(\(text)) { _, own in own }" }
        let declaration =
            "\(plan.publicPrefix)\(plan.overridesComputed ? "override " : "")class func computedProperties() -> [String: AnyKeyPath]"
        edit(type.source) { $0.insert("\n\n\(indentation)\(declaration) { \(text) }", at: end) }
    }
}

extension ClassPlan {
    /// The modifier of declarations that must be as accessible as the class.
    fileprivate var publicPrefix: String { ["public", "open"].contains(type.access) ? "public " : "" }
}

extension SourceText {
    /// Returns the offset after a computed property.
    func afterAccessors(of property: PropertyDeclaration) -> Int {
        var index = tokenIndex(from: property.nameOffset)
        while index < tokens.count, !matches(index, "{") { index += 1 }
        let end = self.index(afterBracketAt: index)
        return end > 0 && end <= tokens.count ? tokens[end - 1].end : property.range.upperBound
    }
}
