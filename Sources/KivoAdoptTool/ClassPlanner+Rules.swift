import KivoSourceModel

/// The members by whose names Cocoa finds the rules of single keys. Swift finds none by name: one function calls them.
extension ClassPlanner {
    /// Returns the rules of single keys that a class, or an extension of it, declares.
    func rules(in part: TypeDeclaration, of type: TypeDeclaration) -> [ClassPlan.Rule] {
        var rules: [ClassPlan.Rule] = []
        func add(
            _ name: String, _ call: String, _ offset: Int, _ attributes: [AttributeDeclaration],
            _ range: Range<Int>, _ returned: Expression?
        ) {
            for kind in ClassPlan.Rule.Kind.allCases where name.hasPrefix(kind.prefix) {
                let suffix = name.dropFirst(kind.prefix.count)
                guard suffix.first?.isUppercase ?? false else { continue }
                rules.append(
                    ClassPlan.Rule(
                        kind: kind, key: key(String(suffix), of: type), part: part, call: call,
                        nameOffset: offset, attributes: attributes, range: range, returned: returned,
                        isOverride: attributes.contains { $0.name == "override" }))
            }
        }
        for function in part.functions where function.isStatic && !function.hasParameters {
            add(
                function.name, function.name + "()", function.nameOffset, function.attributes, function.range,
                function.returned)
        }
        for property in part.properties where property.isStatic {
            let end =
                property.isComputed ? part.source.afterAccessors(of: property) : property.range.upperBound
            add(
                property.name, property.name, property.nameOffset, property.attributes,
                property.range.lowerBound..<end,
                property.accessor(.get)?.body.returned ?? property.value?.bare)
        }
        return rules
    }

    /// Returns the key that is capitalised in the name of a member.
    private func key(_ suffix: String, of type: TypeDeclaration) -> String {
        let isAcronym = suffix.dropFirst().first?.isUppercase ?? false
        let names = program.parts(of: type).flatMap(\.properties).map(\.name)
        if isAcronym || names.contains(suffix) { return suffix }
        return suffix.prefix(1).lowercased() + suffix.dropFirst()
    }

    func planRules(_ plan: ClassPlan) {
        let type = plan.type
        let rules = program.parts(of: type).flatMap { self.rules(in: $0, of: type) }
        for rule in rules {
            let own = type.functions.first { $0.name == rule.kind.function && $0.isStatic }
            if let own, !rule.isOverride {
                // It was rewritten before.
                if type.source.mentions(rule, in: own.body?.tokens ?? 0..<0) { continue }
                plan.leave(
                    rule.part.source, rule.nameOffset,
                    "'\(rule.call)' was found by its name: return its value from '\(rule.kind.function)(forKey:)' for the key '\(rule.key)', which the class declares, too"
                )
            }
            plan.rules.append(rule)
        }
    }

    /// The answer to the question whether Cocoa announces the assignments to a key.
    enum Announcement { case automatic, manual, undecided }

    /// Returns whether the setter of a key announces the change by itself, as far as the sources of a class say.
    func announcement(of key: String, _ plan: ClassPlan) -> Announcement {
        if let rule = plan.rules.first(where: { $0.kind == .automatic && $0.key == key }) {
            if case .bool(let isAutomatic)? = rule.returned { return isAutomatic ? .automatic : .manual }
            return .undecided
        }
        var next: TypeDeclaration? = plan.type
        for _ in 0..<64 {
            guard let type = next else { break }
            let name = ClassPlan.Rule.Kind.automatic.function
            if let function = type.functions.first(where: { $0.name == name && $0.isStatic }) {
                if case .bool(false)? = function.returned { return .manual }
                return function.body.map { names(in: $0).contains(key) } ?? false ? .undecided : .automatic
            }
            next = program.superclass(of: type)
        }
        return .automatic
    }
}

extension ClassPlan.Rule.Kind {
    /// The name of the members of the kind, without the key.
    var prefix: String {
        switch self {
        case .dependencies: "keyPathsForValuesAffecting"
        case .automatic: "automaticallyNotifiesObserversOf"
        }
    }

    /// The name of the function for all keys.
    var function: String {
        switch self {
        case .dependencies: "keyPathsForValuesAffectingValue"
        case .automatic: "automaticallyNotifiesObservers"
        }
    }

    var result: String {
        switch self {
        case .dependencies: "Set<String>"
        case .automatic: "Bool"
        }
    }

    /// The value for keys without a rule.
    var fallback: String {
        switch self {
        case .dependencies: "[]"
        case .automatic: "true"
        }
    }
}

extension SourceText {
    /// Whether code names the member of a rule.
    fileprivate func mentions(_ rule: ClassPlan.Rule, in range: Range<Int>) -> Bool {
        let name = rule.call.hasSuffix("()") ? String(rule.call.dropLast(2)) : rule.call
        return range.contains { tokens[$0].kind == .word && text(of: tokens[$0]) == name }
    }
}
