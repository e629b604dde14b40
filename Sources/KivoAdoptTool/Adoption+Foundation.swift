import KivoSourceModel

/// Uses of Foundation's own classes, which have key-value observing on Apple's platforms only.
extension Adoption {
    /// The classes of Foundation that programs observe, with advice.
    private static let observed: [String: String] = [
        "BlockOperation": "use a class derived from KeyValueOperation",
        "Bundle": "its properties do not change",
        "FileHandle": "use its handlers",
        "NSArray": "observe the property that has the array",
        "NSMutableArray": "observe the property that has the array",
        "NSMutableDictionary": "observe the property that has the dictionary",
        "Operation": "use a class derived from KeyValueOperation",
        "OperationQueue": "observe the operations, or wait with 'addBarrierBlock(_:)'",
        "Process": "use its 'terminationHandler'",
        "Progress": "use a KeyValueProgress",
        "Stream": "use its delegate",
        "Thread": "set an '@Observed' property of a class of your own",
        "URLSessionTask": "use the methods of the session's delegate",
        "UserDefaults": "keep the value in an '@Observed' property of a class of your own, and set both",
    ]
    private static let taskMethods: Set<String> = [
        "dataTask", "downloadTask", "streamTask", "uploadTask", "webSocketTask",
    ]
    private static let sharedNames: Set<String> = ["current", "default", "main", "shared", "standard"]

    /// Lists what observes objects of Foundation.
    func listUsesOfFoundation(in file: SourceFile) {
        for body in file.bodies {
            for expression in body.expressions {
                expression.forEach { part in
                    if case .call(let call) = part { listUse(call, in: body, file.source) }
                }
            }
        }
    }

    private func listUse(_ call: Expression.Call, in body: FunctionBody, _ source: SourceText) {
        guard case .member(let base?, let function, let token?) = call.function.bare else { return }
        let isUse: Bool =
            switch function {
            case "addObserver": call.arguments.contains { $0.label == "forKeyPath" }
            case "observe", "publisher": call.arguments.contains { isKeyPath($0.value) }
            default: false
            }
        guard isUse, let name = foreignClass(of: base, in: body, depth: 0) else { return }
        let ancestor = name.hasPrefix("URLSession") && name.hasSuffix("Task") ? "URLSessionTask" : name
        guard let advice = Self.observed[ancestor] else { return }
        leave(
            source, source.tokens[token].start,
            "'\(function)' of '\(name)': Foundation's own classes notify no observers outside of Apple's platforms; \(advice)"
        )
    }

    private func isKeyPath(_ expression: Expression) -> Bool {
        if case .keyPath = expression.bare { true } else { false }
    }

    /// Returns the name of the class of an expression, if it is not declared in these sources, or nil if it is unknown.
    private func foreignClass(of expression: Expression, in body: FunctionBody, depth: Int) -> String? {
        guard depth < 16 else { return nil }
        switch expression.bare {
        case .name(let name, _):
            if let binding = body.bindings(of: name).first {
                if let type = binding.type { return foreignClass(type, in: body.owner) }
                return binding.value.flatMap { foreignClass(of: $0, in: body, depth: depth + 1) }
            }
            return body.owner.flatMap { foreignClass(ofMember: name, of: $0, depth) }
        case .member(let base?, let name, _):
            if case .name("self", _) = base.bare {
                return body.owner.flatMap { foreignClass(ofMember: name, of: $0, depth) }
            }
            if let path = base.path, Self.sharedNames.contains(name),
                let found = program.foreignName(of: TypeSyntax(path: path), in: body.owner),
                Self.observed[found] != nil
            {
                return found
            }
            return program.inferredClass(base, in: body).flatMap {
                foreignClass(ofMember: name, of: $0, depth)
            }
        case .call(let call):
            if case .member(_, let name, _) = call.function.bare, Self.taskMethods.contains(name) {
                return "URLSessionTask"
            }
            return call.function.path.flatMap { foreignClass(TypeSyntax(path: $0), in: body.owner) }
        default: return nil
        }
    }

    private func foreignClass(ofMember name: String, of type: TypeDeclaration, _ depth: Int) -> String? {
        var next: TypeDeclaration? = type.kind == .extension ? program.types[type.qualifiedName]?.first : type
        for _ in 0..<64 {
            guard let type = next else { return nil }
            if let property = program.parts(of: type).flatMap(\.properties).first(where: { $0.name == name })
            {
                if let written = property.type { return foreignClass(written, in: type) }
                let body = FunctionBody(owner: type.outer)
                return property.value.flatMap { foreignClass(of: $0, in: body, depth: depth + 1) }
            }
            next = program.superclass(of: type)
        }
        return nil
    }

    private func foreignClass(_ type: TypeSyntax, in scope: TypeDeclaration?) -> String? {
        program.foreignName(of: type.unwrapped, in: scope)
    }
}
