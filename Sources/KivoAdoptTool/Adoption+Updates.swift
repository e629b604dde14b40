import KivoSourceModel

/// The policies of updates, which were Booleans in older versions of realm-swift.
extension Adoption {
    private static let functions: [StaticString] = ["add", "create"]

    /// Whether the program declares functions of its own that take such a Boolean.
    func declaresUpdates() -> Bool {
        func takesUpdate(_ body: FunctionBody?) -> Bool {
            body?.parameters.contains { $0.name == "update" && $0.type == .name("Bool") } ?? false
        }
        let names: Set<String> = ["add", "create"]
        return files.contains { file in
            file.types.flatMap(\.functions).contains { names.contains($0.name) && takesUpdate($0.body) }
                || file.bodies.contains { $0.owner == nil && takesUpdate($0) }
        }
    }

    /// Rewrites `add(dog, update: true)` to `add(dog, update: .all)`.
    ///
    /// - Parameter isOwn: whether the program declares such functions itself, so that calls are listed instead.
    func rewriteUpdates(in file: SourceFile, isOwn: Bool) {
        let source = file.source
        var opened: [Int] = []
        for index in source.tokens.indices {
            switch source.tokens[index].kind {
            case .opening: opened.append(index)
            case .closing: opened.removeLast(opened.isEmpty ? 0 : 1)
            case .word:
                guard let call = opened.last, source.matches(call, "("), source.matches(index, "update"),
                    source.matches(index + 1, ":"),
                    Self.functions.contains(where: { source.matches(call - 1, $0) })
                else { continue }
                rewriteUpdate(at: index + 2, source, isOwn: isOwn)
            default: break
            }
        }
        for body in file.bodies { rewriteVariables(in: body, source, isOwn: isOwn) }
    }

    private func rewriteUpdate(at index: Int, _ source: SourceText, isOwn: Bool) {
        let policy: String
        if source.matches(index, "true") {
            policy = ".all"
        } else if source.matches(index, "false") {
            policy = ".error"
        } else {
            return
        }
        let token = source.tokens[index]
        if isOwn {
            leave(
                source, token.start,
                "'update: \(source.text(of: token))': write '\(policy)' if this is Realm's function, and not one of yours"
            )
        } else {
            edit(source) { $0.replace(token.range, with: policy) }
        }
    }

    /// Rewrites `add(dog, update: isNew)` of a parameter or variable of type Bool to `update: isNew ? .all : .error`.
    private func rewriteVariables(in body: FunctionBody, _ source: SourceText, isOwn: Bool) {
        for expression in body.expressions {
            expression.forEach { part in
                guard case .call(let call) = part, case .member(_, let function, _) = call.function.bare,
                    function == "add" || function == "create", !isOwn,
                    case .name(let name, let token?)? =
                        call.arguments.first(where: { $0.label == "update" })?.value.bare,
                    body.bindings(of: name).contains(where: { $0.type == .name("Bool") })
                else { return }
                edit(source) { $0.insert(" ? .all : .error", at: source.tokens[token].end) }
            }
        }
    }
}
