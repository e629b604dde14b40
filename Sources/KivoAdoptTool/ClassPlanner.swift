import KivoSourceModel

/// A planner that decides which classes are rewritten, and how.
struct ClassPlanner {
    let program: Program
    let files: [SourceFile]

    func plans() -> [ClassPlan] {
        let classes = files.flatMap(\.types).filter { $0.kind == .class }
        var hierarchies = cocoaHierarchies(classes)
        var rejected: [ClassPlan] = []
        // If a class is left unchanged, properties of its type change their kind, so that other classes may have to be left, too.
        while true {
            program.objectRoots = Set(hierarchies.map { ObjectIdentifier($0[0]) })
            var plans: [ClassPlan] = []
            var isStable = true
            hierarchies = hierarchies.filter { hierarchy in
                let made = hierarchy.map { plan($0, .cocoa, hierarchy) }
                guard made.allSatisfy(\.isAdopted) else {
                    for plan in made where plan.isAdopted {
                        plan.obstruct(
                            plan.type.nameOffset,
                            "class '\(plan.type.name)' is left as it is, as a class that it is related to is")
                    }
                    for plan in made { plan.leftOvers = plan.obstacles }
                    rejected += made
                    isStable = false
                    return false
                }
                plans += made
                return true
            }
            if isStable {
                let cocoa = Set(hierarchies.joined().map(ObjectIdentifier.init))
                let models = classes.filter {
                    program.model(of: $0) != nil && !cocoa.contains(ObjectIdentifier($0))
                }
                return rejected + plans + models.map { plan($0, .realm, []) }
            }
        }
    }

    /// Returns class hierarchies derived from `NSObject` in which some property is observed. Each begins with its root.
    private func cocoaHierarchies(_ classes: [TypeDeclaration]) -> [[TypeDeclaration]] {
        func superclass(_ type: TypeDeclaration) -> TypeDeclaration? {
            type.inherited.first.flatMap { program.declaration(of: $0, in: type.outer) }
                .flatMap { $0.kind == .class && $0 !== type ? $0 : nil }
        }
        func isObserved(_ type: TypeDeclaration) -> Bool {
            type.properties.contains { isDynamic($0, in: type) && !$0.isStatic }
        }
        return classes.filter { type in
            type.inherited.first.flatMap { program.foreignName(of: $0, in: type.outer) } == "NSObject"
        }.map { root in
            var hierarchy = [root]
            var next = 0
            while next < hierarchy.count {
                hierarchy += classes.filter { superclass($0) === hierarchy[next] }
                next += 1
            }
            return hierarchy
        }.filter { $0.contains(where: isObserved) }
    }

    /// Whether a property is `@objc dynamic`, by its own attributes or those of its class.
    func isDynamic(_ property: PropertyDeclaration, in type: TypeDeclaration) -> Bool {
        property.attribute("dynamic") != nil
            && (property.attribute("objc") != nil || type.attributes.contains { $0.name == "objcMembers" })
    }

    private func plan(
        _ type: TypeDeclaration, _ origin: ClassPlan.Origin, _ hierarchy: [TypeDeclaration]
    ) -> ClassPlan {
        let plan = ClassPlan(type, origin)
        if type.isGeneric, origin == .cocoa {
            plan.obstruct(
                type.nameOffset, "class '\(type.name)' is generic, and no model can be: it is left as it is")
        }
        planProperties(plan)
        if origin == .cocoa {
            if plan.isAdopted { planInitializers(plan, in: hierarchy) }
            for function in type.functions
            where ["isEqual", "hash", "copy"].contains(function.name) && !function.isStatic {
                if function.attributes.contains(where: { $0.name == "override" }) {
                    plan.obstruct(
                        function.nameOffset,
                        "class '\(type.name)' overrides '\(function.name)' of NSObject, which Object does not have: it is left as it is"
                    )
                }
            }
            for property in type.properties
            where property.attribute("override") != nil
                && ["hash", "debugDescription"].contains(property.name)
            {
                plan.obstruct(
                    property.nameOffset,
                    "class '\(type.name)' overrides '\(property.name)' of NSObject, which Object does not have: it is left as it is"
                )
            }
        }
        for function in type.functions {
            if let attribute = function.attributes.first(where: { $0.name == "objc" }) {
                plan.leave(
                    attribute.range.lowerBound,
                    "'@objc' function '\(function.name)': Objective-C finds no functions of Kivo's classes; call it from one that it finds"
                )
            }
        }
        if origin == .realm { keepStoredName(of: type, plan) }
        return plan
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
