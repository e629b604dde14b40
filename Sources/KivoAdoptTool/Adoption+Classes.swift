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
        for function in plan.removedFunctions {
            edit(source) { $0.removeLines(function.range) }
            let end = source.tokenIndex(from: function.range.upperBound)
            for token in source.tokenIndex(from: function.range.lowerBound)..<end { settle(token, source) }
        }
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
        applyRules(of: plan)
        for declaration in plan.overridable { insert(declaration, plan) }
        if let name = plan.storedName {
            insert("override class func _realmObjectName() -> String? { \"\(name)\" }", plan)
        }
    }

    /// Adds the protocols to which a class is to conform, and rewrites the calls of a superclass that it loses.
    private func conform(_ plan: ClassPlan) {
        let (type, source) = (plan.type, plan.type.source)
        if let base = plan.base { edit(source) { $0.replace(type.inheritedRanges[0], with: base) } }
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
        guard plan.conformances.contains(plan.isolated("KeyValueObservable")) else { return }
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
        let source = (property.part ?? plan.type).source
        let declaration = property.declaration
        if property.isBracketed { bracket(declaration, source) }
        var removedNames = ["objc", "dynamic"]
        var isWeak = false
        if case .observed = property.decision, declaration.attribute("weak") != nil {
            isWeak = true
            removedNames.append("weak")
        }
        let removed = declaration.attributes.filter { removedNames.contains($0.name) }
        let wrapper: String? =
            switch property.decision {
            case .persisted(let arguments): "@Persisted\(arguments) "
            case .ignored: "@Ignored "
            case .observed: isWeak ? "@ObservedWeak " : "@Observed "
            case .plain: nil
            }
        if let value = declaration.type
            ?? declaration.value.flatMap({ program.typeOfLiteral($0, in: plan.type) })
        {
            adoptEnum(value, in: plan.type, property.decision, plan.origin)
        }
        let nameIndex = source.tokenIndex(from: declaration.nameOffset)
        edit(source) { edits in
            if declaration.isGrouped, source.matches(nameIndex - 1, ",") {
                // A wrapper applies to one variable: the others get separate declarations.
                let indentation = source.indentation(
                    at: source.lineStart(of: declaration.range.lowerBound))
                let others = declaration.attributes.filter { !removedNames.contains($0.name) }
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
        _ type: TypeSyntax, in scope: TypeDeclaration, _ decision: ClassPlan.Property.Decision,
        _ origin: ClassPlan.Origin
    ) {
        guard let declaration = program.declaration(of: type.unwrapped, in: scope), declaration.kind == .enum,
            program.isOwn(declaration)
        else { return }
        switch decision {
        case .plain where origin == .cocoa: break
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

    /// Adds a declaration, indented by four spaces, at the beginning of a class.
    func insert(_ declaration: String, _ plan: ClassPlan) {
        let (type, source) = (plan.type, plan.type.source)
        let (members, unit) = source.indentation(of: type)
        let text = (plan.publicPrefix + declaration).indented(by: members, unit)
        let end = source.tokens[type.brace].end
        // An empty line follows the declaration, if there is none.
        let isFollowed = source.text(end..<min(end + 2, source.bytes.count)) == "\n\n"
        edit(source) { $0.insert("\n\(members)\(text)\(isFollowed ? "" : "\n")", at: end) }
    }

    /// Lists the properties that were found by name before.
    private func nameComputedProperties(of plan: ClassPlan) {
        let (type, source) = (plan.type, plan.type.source)
        guard !plan.computed.isEmpty, type.brace < source.tokens.count,
            !type.functions.contains(where: { $0.name == "computedProperties" })
        else { return }
        let modifiers = plan.overridesRules ? "override " : ""
        let entries = plan.computed.map { "\"\($0)\": \\\(type.qualifiedName).\($0)" }
        let declaration =
            "\(modifiers)class func computedProperties() -> [String: AnyKeyPath] "
            + Self.dictionary(entries, isMerged: plan.mergesComputed)
        guard let last = type.properties.last(where: { plan.computed.contains($0.name) && $0.isComputed })
        else {
            return insert(declaration, plan)
        }
        let indentation = source.indentation(at: source.lineStart(of: last.range.lowerBound))
        let end = source.afterAccessors(of: last)
        let text = (plan.publicPrefix + declaration).indented(
            by: indentation, source.indentation(of: type).unit)
        edit(source) { $0.insert("\n\n\(indentation)\(text)", at: end) }
    }

    /// Returns the body of a function that returns a dictionary, or merges it into that of its superclass.
    private static func dictionary(_ entries: [String], isMerged: Bool) -> String {
        let isShort = entries.count == 1
        let list =
            isShort ? "[\(entries[0])]" : "[\n" + entries.map { "        \($0),\n" }.joined() + "    ]"
        let value =
            isMerged ? "super.computedProperties().merging(\(list)) { _, own in own }" : list
        return isShort && !isMerged ? "{ \(value) }" : "{\n    \(value)\n}"
    }
}

extension ClassPlan {
    /// The modifier of declarations that must be as accessible as the class.
    fileprivate var publicPrefix: String {
        type.access == "public" || type.access == "open" ? "\(type.access!) " : ""
    }
}

extension String {
    /// Returns a declaration with other indentation than four spaces a level. The first line is not indented.
    fileprivate func indented(by outer: String, _ unit: String) -> String {
        let lines: [Substring] = split(separator: "\n")
        let indented = lines.map { line in
            let spaces = line.prefix { $0 == " " }.count
            return String(repeating: unit, count: spaces / 4) + line.dropFirst(spaces)
        }
        return indented.joined(separator: "\n" + outer)
    }
}

extension SourceText {
    /// Returns the indentation of the members of a type, and that of one level.
    func indentation(of type: TypeDeclaration) -> (members: String, unit: String) {
        let outer = indentation(at: lineStart(of: tokens[type.brace].start))
        let first = type.brace + 1
        guard first < tokens.count, tokens[first].isFirstOfLine else { return (outer + "    ", "    ") }
        let members = indentation(at: lineStart(of: tokens[first].start))
        guard members.hasPrefix(outer), members != outer else { return (outer + "    ", "    ") }
        return (members, String(members.dropFirst(outer.count)))
    }

    /// Returns the blanks at the beginning of a line.
    func indentation(at lineStart: Int) -> String {
        let blanks = bytes[lineStart...].prefix { $0 == 32 || $0 == 9 }
        return String(decoding: blanks, as: UTF8.self)
    }

    /// Returns the offset after a computed property.
    func afterAccessors(of property: PropertyDeclaration) -> Int {
        var index = tokenIndex(from: property.nameOffset)
        while index < tokens.count, !matches(index, "{") { index += 1 }
        let end = self.index(afterBracketAt: index)
        return end > 0 && end <= tokens.count ? tokens[end - 1].end : property.range.upperBound
    }
}
