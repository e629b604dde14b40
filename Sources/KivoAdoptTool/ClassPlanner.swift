import KivoSourceModel

/// A planner that decides which classes are rewritten, and how.
struct ClassPlanner {
    let program: Program
    let files: [SourceFile]
    /// The bodies of the code in each type.
    let bodies: [ObjectIdentifier: [FunctionBody]]
    /// The constants with strings in the program, by name.
    let constants: [String: String]

    init(program: Program, files: [SourceFile]) {
        (self.program, self.files) = (program, files)
        var constants: [String: String] = [:]
        for property in files.flatMap(\.types).flatMap(\.properties) where property.isLet && property.isStatic
        {
            constants[property.name] = property.value?.literal
        }
        for binding in files.flatMap(\.bodies).filter({ $0.owner == nil }).flatMap(\.bindings) {
            constants[binding.name] = binding.value?.literal
        }
        self.constants = constants
        bodies = files.flatMap(\.bodies).reduce(into: [:]) { bodies, body in
            if let owner = body.owner { bodies[ObjectIdentifier(owner), default: []].append(body) }
        }
    }

    func plans() -> [ClassPlan] {
        let classes = files.flatMap(\.types).filter { $0.kind == .class }
        return classes.filter { program.model(of: $0) != nil }.map(plan) + observedPlans(classes)
    }

    /// Whether a property is `@objc dynamic`, by its own attributes or those of its class.
    func isDynamic(_ property: PropertyDeclaration, in type: TypeDeclaration) -> Bool {
        property.attribute("dynamic") != nil
            && (property.attribute("objc") != nil || hasObjectiveCMembers(type))
    }

    /// Whether the members of a class, or of an extension, are all Objective-C's. Subclasses inherit that.
    private func hasObjectiveCMembers(_ type: TypeDeclaration) -> Bool {
        var next = type.kind == .extension ? program.types[type.qualifiedName]?.first : type
        for _ in 0..<64 {
            guard let some = next else { return false }
            if some.attributes.contains(where: { $0.name == "objcMembers" }) { return true }
            next = program.superclass(of: some)
        }
        return false
    }

    private func plan(_ type: TypeDeclaration) -> ClassPlan {
        let plan = ClassPlan(type, .realm)
        plan.overridesRules = true
        planRules(plan)
        planProperties(plan)
        planInitializers(plan)
        listEquality(plan)
        listObjectiveCFunctions(plan)
        keepStoredName(of: type, plan)
        return plan
    }

    func listObjectiveCFunctions(_ plan: ClassPlan) {
        let rules = Set(plan.rules.map(\.nameOffset))
        for function in plan.type.functions where !rules.contains(function.nameOffset) {
            guard let attribute = function.attributes.first(where: { $0.name == "objc" }) else { continue }
            plan.leave(
                attribute.range.lowerBound,
                "'@objc' function '\(function.name)': Objective-C, and so selectors, find no functions of Kivo's classes; call it from a function that they find"
            )
        }
    }

    /// Lists overrides of equality, which collections and conditions of a realm do not ask.
    func listEquality(_ plan: ClassPlan) {
        let functions = plan.type.functions.filter { $0.name == "isEqual" && $0.has("override") }
        let properties = plan.type.properties.filter {
            $0.name == "hash" && $0.attribute("override") != nil
        }
        let members =
            functions.map { ("isEqual(_:)", $0.nameOffset) } + properties.map { ("hash", $0.nameOffset) }
        for (name, offset) in members {
            plan.leave(
                offset,
                "'\(name)' of class '\(plan.type.name)' stays: '==', 'contains(_:)' and 'index(of:)' ask 'isEqual(_:)' and 'hash'; links, conditions, and sets of a realm compare rows"
            )
        }
    }

    /// Keeps the class's Objective-C name, if it has one, as its name in files, because existing files contain it.
    private func keepStoredName(of type: TypeDeclaration, _ plan: ClassPlan) {
        guard let attribute = type.attributes.first(where: { $0.name == "objc" }),
            !type.functions.contains(where: { $0.name == "_realmObjectName" })
        else { return }
        let text = type.source.text(attribute.range)
        guard let open = text.firstIndex(of: "(") else { return }
        let name = text.dropLast().suffix(from: text.index(after: open))
        if name == type.name { return }
        let isSuperclass = files.flatMap(\.types).contains { other in
            other !== type && program.model(of: other)?.superclass?.declaration === type
        }
        if isSuperclass {
            plan.leave(
                attribute.range.lowerBound,
                "class '\(type.name)' was stored under the name in '\(text)': return it from '_realmObjectName()', and other names in the classes derived from it"
            )
        } else {
            plan.storedName = String(name)
        }
    }
}
