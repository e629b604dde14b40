import KivoSourceModel

extension Adoption {
    /// Takes the rules of single keys off the Objective-C runtime, and adds the function that calls them.
    func applyRules(of plan: ClassPlan) {
        for rule in plan.rules { apply(rule) }
        for kind in ClassPlan.Rule.Kind.allCases {
            let rules = plan.rules.filter { $0.kind == kind && !$0.isOverride }
            guard !rules.isEmpty,
                !plan.type.functions.contains(where: { $0.name == kind.function && $0.isStatic })
            else { continue }
            let cases = rules.map { "    case \"\($0.key)\": \($0.call)\n" }.joined()
            let fallback = plan.overridesRules ? "super.\(kind.function)(forKey: key)" : kind.fallback
            insert(
                """
                \(plan.overridesRules ? "override " : "")class func \(kind.function)(forKey key: String) -> \(kind.result) {
                    switch key {
                \(cases)    default: \(fallback)
                    }
                }
                """, plan)
        }
    }

    private func apply(_ rule: ClassPlan.Rule) {
        let source = rule.part.source
        edit(source) { edits in
            for attribute in rule.attributes where attribute.name == "objc" || attribute.name == "dynamic" {
                edits.removeWithBlanks(attribute.range)
            }
        }
        guard rule.kind == .dependencies else { return }
        // Outside of Apple's platforms a string is not an object.
        let end = source.tokenIndex(from: rule.range.upperBound)
        for index in source.tokenIndex(from: rule.range.lowerBound)..<end {
            if source.matches(index, "Set"), source.matches(index + 1, "<"), source.matches(index + 3, ">"),
                Self.objectTypes.contains(source.text(of: source.tokens[index + 2]))
            {
                edit(source) { $0.replace(source.tokens[index + 2].range, with: "String") }
            } else if source.matches(index, "as"),
                Self.objectTypes.contains(source.text(of: source.tokens[index + 1]))
            {
                edit(source) {
                    $0.replace(source.tokens[index - 1].end..<source.tokens[index + 1].end, with: "")
                }
            } else if source.matches(index, "NSSet") {
                leave(
                    source, source.tokens[index].start,
                    "'\(rule.call)' returns an NSSet: return a Set<String>")
            }
        }
    }

    private static let objectTypes: Set<String> = ["AnyHashable", "NSObject", "NSString"]

    /// Announces the change of a computed property in its setter.
    func bracket(_ property: PropertyDeclaration, _ source: SourceText) {
        guard let setter = property.accessor(.set) else { return }
        let (brace, end) = (setter.brace, setter.body.tokens.upperBound - 1)
        guard end > brace, end < source.tokens.count else { return }
        let will = "willChangeValue(forKey: \"\(property.name)\")"
        let did = "didChangeValue(forKey: \"\(property.name)\")"
        let start = source.lineStart(of: source.tokens[brace].start)
        let isOneLine = start == source.lineStart(of: source.tokens[end].start)
        let isAlone = source.text(start..<source.tokens[brace].start).trimmed.hasPrefix("set")
        let indentation = source.indentation(at: start)
        edit(source) { edits in
            if isOneLine, !isAlone {
                edits.insert(" \(will); defer { \(did) };", at: source.tokens[brace].end)
                return
            }
            let inner = indentation + (indentation.contains("\t") ? "\t" : "    ")
            edits.insert("\n\(inner)\(will)\n\(inner)defer { \(did) }", at: source.tokens[brace].end)
            guard isOneLine, end > brace + 1 else { return }
            let (first, last) = (source.tokens[brace + 1].start, source.tokens[end - 1].end)
            edits.replace(source.tokens[brace].end..<first, with: "\n\(inner)")
            edits.replace(last..<source.tokens[end].start, with: "\n\(indentation)")
        }
    }
}
