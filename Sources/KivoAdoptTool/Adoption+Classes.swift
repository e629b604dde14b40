import KivoSourceModel

extension Adoption {
    /// Rewrites a class.
    func apply(_ plan: ClassPlan) {
        let type = plan.type
        let source = type.source
        for attribute in type.attributes where attribute.name == "objcMembers" || attribute.name == "objc" {
            edit(source) { $0.removeWithBlanks(attribute.range) }
        }
        if plan.origin == .cocoa, let first = type.inherited.first, first.path == ["NSObject"] {
            edit(source) { $0.replace(type.inheritedRanges[0], with: "Object") }
        }
        for property in plan.properties { apply(property, of: plan) }
        for function in plan.removedFunctions { edit(source) { $0.removeLines(function.range) } }
        if plan.needsPlainInitializer, let first = plan.initializers.first?.function {
            let start = source.lineStart(of: first.range.lowerBound)
            let indentation = source.text(start..<first.range.lowerBound).prefix { $0 == " " || $0 == "\t" }
            let access = plan.publicPrefix
            edit(source) {
                $0.insert(
                    "\(access)required init() { super.init() }\n\n\(indentation)", at: first.range.lowerBound)
            }
        }
        for (function, change) in plan.initializers { apply(change, to: function, source) }
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
        if let name = plan.storedName { sayStoredName(name, plan) }
    }

    private func apply(_ property: ClassPlan.Property, of plan: ClassPlan) {
        let source = plan.type.source
        let declaration = property.declaration
        let removed = declaration.attributes.filter { $0.name == "objc" || $0.name == "dynamic" }
        let wrapper: String? =
            switch property.decision {
            case .persisted(let arguments): "@Persisted\(arguments) "
            case .ignored: "@Ignored "
            case .plain: nil
            }
        if let value = declaration.type
            ?? declaration.value.flatMap({ program.typeOfLiteral($0, in: plan.type) }),
            case .persisted = property.decision
        {
            makePersistable(value, in: plan.type)
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

    /// Makes an enum conform to `PersistableEnum`.
    private func makePersistable(_ type: TypeSyntax, in scope: TypeDeclaration) {
        guard let declaration = program.declaration(of: type.unwrapped, in: scope), declaration.kind == .enum,
            program.isOwn(declaration)
        else { return }
        edit(declaration.source) { edits in
            for attribute in declaration.attributes where attribute.name == "objc" {
                edits.removeWithBlanks(attribute.range)
            }
            let planner = ClassPlanner(program: program, files: [])
            guard planner.canBePersistable(declaration), let last = declaration.inheritedRanges.last else {
                return
            }
            edits.insert(", PersistableEnum", at: last.upperBound)
        }
        needsKivo.insert(ObjectIdentifier(declaration.source))
    }

    private func apply(
        _ change: ClassPlan.Initializer, to function: FunctionDeclaration, _ source: SourceText
    ) {
        guard let body = function.body else { return }
        let open = openingBrace(of: function, source)
        let indentation = self.indentation(in: function, open, source)
        edit(source) { edits in
            switch change {
            case .required(let callsSuperFirst):
                if let attribute = function.attributes.first(where: { $0.name == "override" }) {
                    if function.attributes.contains(where: { $0.name == "required" }) {
                        edits.removeWithBlanks(attribute.range)
                    } else {
                        edits.replace(attribute.range, with: "required")
                    }
                } else if !function.attributes.contains(where: { $0.name == "required" }) {
                    edits.insert("required ", at: function.initKeyword(in: source))
                }
                if callsSuperFirst { callSuperFirst(body, open, indentation, source, &edits) }
            case .designated: callSuperFirst(body, open, indentation, source, &edits)
            case .convenience:
                if let attribute = function.attributes.first(where: { $0.name == "override" }) {
                    edits.removeWithBlanks(attribute.range)
                }
                edits.insert("convenience ", at: function.initKeyword(in: source))
                for call in superCalls(in: body, source) { edits.removeLines(call) }
                edits.insert("\(indentation)self.init()", at: source.tokens[open].end)
            }
        }
    }

    /// Moves the call of the superclass's initialiser to the beginning of a body.
    private func callSuperFirst(
        _ body: FunctionBody, _ open: Int, _ indentation: String, _ source: SourceText,
        _ edits: inout SourceEdits
    ) {
        let calls = superCalls(in: body, source)
        if let first = calls.first, isFirst(first, after: open, source) { return }
        for call in calls { edits.removeLines(call) }
        let text = calls.first.map(source.text) ?? "super.init()"
        edits.insert("\(indentation)\(text)", at: source.tokens[open].end)
    }

    /// Returns the ranges of `super.init()`.
    private func superCalls(in body: FunctionBody, _ source: SourceText) -> [Range<Int>] {
        ClassPlanner.superInitializers(in: body).compactMap { call in
            guard case .member(_, _, let token?) = call.function.bare, source.matches(token - 2, "super")
            else { return nil }
            let end = source.index(afterBracketAt: token + 1)
            return source.tokens[token - 2].start..<source.tokens[end - 1].end
        }
    }

    private func isFirst(_ range: Range<Int>, after brace: Int, _ source: SourceText) -> Bool {
        brace + 1 < source.tokens.count && source.tokens[brace + 1].start == range.lowerBound
    }

    private func openingBrace(of function: FunctionDeclaration, _ source: SourceText) -> Int {
        var index = source.tokenIndex(from: function.initKeyword(in: source))
        while index < source.tokens.count, !source.matches(index, "{") {
            index = source.tokens[index].kind == .opening ? source.index(afterBracketAt: index) : index + 1
        }
        return index
    }

    /// Returns the space before the first statement of a body: a line break and blanks, or one blank.
    private func indentation(in function: FunctionDeclaration, _ brace: Int, _ source: SourceText) -> String {
        guard brace + 1 < source.tokens.count, source.tokens[brace + 1].isFirstOfLine else { return " " }
        let start = source.lineStart(of: function.range.lowerBound)
        let outer = source.text(start..<function.range.lowerBound).prefix { $0 == " " || $0 == "\t" }
        let next = source.tokens[brace + 1]
        if next.kind == .closing { return "\n\(outer)    " }
        return "\n" + source.text(source.lineStart(of: next.start)..<next.start)
    }

    /// Adds a function that keeps the class's Objective-C name as its name in files.
    private func sayStoredName(_ name: String, _ plan: ClassPlan) {
        let (type, source) = (plan.type, plan.type.source)
        let start = source.lineStart(of: source.tokens[type.brace].start)
        let outer = source.text(start..<source.tokens[type.brace].start).prefix { $0 == " " || $0 == "\t" }
        let declaration = "\(plan.publicPrefix)override class func _realmObjectName() -> String?"
        edit(source) {
            $0.insert(
                "\n\(outer)    \(declaration) { \"\(name)\" }\n", at: source.tokens[type.brace].end)
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
        var superclass = program.model(of: type)?.superclass
        while let some = superclass, plans[ObjectIdentifier(some.declaration)]?.computed.isEmpty ?? true {
            superclass = some.superclass
        }
        let entries = plan.computed.map { "\"\($0)\": \\\(type.qualifiedName).\($0)" }.joined(separator: ", ")
        let end = type.source.afterAccessors(of: last)
        var text = "[\(entries)]"
        if superclass != nil { text = "super.computedProperties().merging(\(text)) { _, own in own }" }
        let declaration =
            "\(plan.publicPrefix)override class func computedProperties() -> [String: AnyKeyPath]"
        edit(type.source) { $0.insert("\n\n\(indentation)\(declaration) { \(text) }", at: end) }
    }
}

extension ClassPlan {
    /// The modifier of declarations that must be as accessible as the class.
    fileprivate var publicPrefix: String { ["public", "open"].contains(type.access) ? "public " : "" }
}

extension FunctionDeclaration {
    /// Returns the offset of `init` in an initialiser.
    func initKeyword(in source: SourceText) -> Int {
        var index = source.tokenIndex(from: range.lowerBound)
        while index < source.tokens.count, !source.matches(index, "init") { index += 1 }
        return source.tokens[min(index, source.tokens.count - 1)].start
    }
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
