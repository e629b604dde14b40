import KivoSourceModel

/// A planner that decides which classes are rewritten, and how.
struct ClassPlanner {
    let program: Program
    let files: [SourceFile]

    func plans() -> [ClassPlan] {
        let classes = files.flatMap(\.types).filter { $0.kind == .class }
        return classes.filter { program.model(of: $0) != nil }.map(plan) + observedPlans(classes)
    }

    /// Whether a property is `@objc dynamic`, by its own attributes or those of its class.
    func isDynamic(_ property: PropertyDeclaration, in type: TypeDeclaration) -> Bool {
        property.attribute("dynamic") != nil
            && (property.attribute("objc") != nil || type.attributes.contains { $0.name == "objcMembers" })
    }

    private func plan(_ type: TypeDeclaration) -> ClassPlan {
        let plan = ClassPlan(type, .realm)
        planProperties(plan)
        listObjectiveCFunctions(plan)
        keepStoredName(of: type, plan)
        return plan
    }

    func listObjectiveCFunctions(_ plan: ClassPlan) {
        for function in plan.type.functions {
            guard let attribute = function.attributes.first(where: { $0.name == "objc" }) else { continue }
            plan.leave(
                attribute.range.lowerBound,
                "'@objc' function '\(function.name)': Objective-C finds no functions of Kivo's classes; call it from one that it finds"
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
