import KivoSourceModel

extension Adoption {
    /// Rewrites the uses of rewritten declarations in the bodies of a file.
    func rewriteExpressions(of file: SourceFile) {
        for body in file.bodies {
            for expression in body.expressions {
                expression.forEach { part in rewrite(part, in: body, file.source) }
            }
        }
    }

    private func rewrite(_ expression: Expression, in body: FunctionBody, _ source: SourceText) {
        switch expression {
        case .member(let base?, "value", let token?): unbox(base, token, in: body, source)
        case .member(_, let name, let token?), .name(let name, let token?):
            if boxes[name] != nil { listBox(expression, named: name, token, in: body, source) }
        case .keyPath(let components, true, let token?): name(components, token, in: body, source)
        case .keyPath(let components, false, let token?): unbox(components, token, source)
        case .call(let call): unwrapPredicate(call, in: body, source)
        default: break
        }
    }

    /// Rewrites `dog.age.value` to `dog.age`.
    private func unbox(_ base: Expression, _ token: Int, in body: FunctionBody, _ source: SourceText) {
        if let place = base.bare.token { settle(place, source) }
        guard let name = base.lastName else { return }
        if case .name = base.bare, let binding = body.bindings(of: name).first {
            settle(token, source)
            guard let value = binding.value, boxes[value.lastName ?? ""] != nil,
                isBox(value, in: body) ?? true
            else { return }
            leave(
                source, source.tokens[token].start,
                "'\(name)' was a RealmOptional or RealmProperty, and is a copy of its value: remove '.value', and set the property itself"
            )
            return
        }
        guard boxes[name] != nil else { return }
        settle(token, source)
        switch isBox(base, in: body) {
        case true?: remove(source.tokens[token - 1].start..<source.tokens[token].end, source)
        case false?: break
        case nil: leaveValue(of: name, at: token, source)
        }
    }

    private func remove(_ range: Range<Int>, _ source: SourceText) {
        edit(source) { $0.replace(range, with: "") }
    }

    /// Lists a '.value' that is to be removed if its base was a box.
    func leaveValue(of name: String, at token: Int, _ source: SourceText) {
        leave(
            source, source.tokens[token].start,
            "if '\(name)' is what was a RealmOptional or RealmProperty, remove '.value'")
    }

    /// Lists a box that is used without its value.
    private func listBox(
        _ expression: Expression, named name: String, _ token: Int, in body: FunctionBody,
        _ source: SourceText
    ) {
        guard !isSettled(token, source), isBox(expression, in: body) ?? true else { return }
        leave(
            source, source.tokens[token].start,
            "'\(name)' was a RealmOptional or RealmProperty, and is its value: what is done with it here, is done with a copy of the value"
        )
    }

    /// Whether an expression was a box, or nil if that depends on a type that is unknown.
    private func isBox(_ expression: Expression, in body: FunctionBody) -> Bool? {
        var owner: Model?
        let name: String
        switch expression.bare {
        case .member(let object, let member, _):
            name = member
            guard boxes[name] != nil else { return false }
            if let known = object.flatMap({ program.inferred($0, in: body) }) {
                if known.isCollection { return false }
                owner = known.model
            } else if let type = object.flatMap({ program.inferredClass($0, in: body) }), !isModel(type),
                type.properties.contains(where: { $0.name == name })
            {
                return false
            }
        case .name(let variable, _):
            name = variable
            guard body.bindings(of: name).isEmpty else { return false }
            guard let model = body.owner.flatMap(program.extendedModel) else { return false }
            owner = model
        default: return false
        }
        if let owner { return declaresBox(owner, name) }
        // The name decides: the expression is a box if all properties of that name are boxes.
        let isOther = program.types.values.joined().contains { type in
            type.properties.contains { $0.name == name }
                && !(boxes[name]?.contains { $0 === type } ?? false)
        }
        return isOther ? nil : true
    }

    private func declaresBox(_ model: Model, _ name: String) -> Bool {
        if boxes[name]?.contains(where: { $0 === model.declaration }) ?? false { return true }
        return model.superclass.map { declaresBox($0, name) } ?? false
    }

    /// Rewrites `\Dog.age.value` to `\Dog.age`.
    private func unbox(_ components: [String], _ token: Int, _ source: SourceText) {
        guard
            let value = components.indices.dropFirst().first(where: {
                components[$0] == "value" && boxes[components[$0 - 1]] != nil
            })
        else { return }
        var index = token + 1
        while index < source.tokens.count, index < token + 3 * components.count + 3 {
            if source.matches(index, "value"), source.matches(index - 1, "."),
                source.name(of: source.tokens[index - 2]) == components[value - 1]
            {
                remove(source.tokens[index - 1].start..<source.tokens[index].end, source)
                settle(index, source)
                return
            }
            index += 1
        }
    }

    /// Rewrites `#keyPath(Dog.owner.name)` to `"owner.name"`.
    private func name(_ components: [String], _ token: Int, in body: FunctionBody, _ source: SourceText) {
        var root: TypeDeclaration?
        var length = 0
        for count in stride(from: components.count - 1, to: 0, by: -1) {
            if let found = program.declaration(
                of: TypeSyntax(path: Array(components[..<count])), in: body.owner)
            {
                (root, length) = (found, count)
                break
            }
        }
        if root == nil, components.first?.first?.isUppercase == false {
            root = body.owner.flatMap(program.extendedModel)?.declaration ?? body.owner
        }
        guard let root, isModel(root) else { return }
        let end = source.index(afterBracketAt: token + 1)
        guard end > token + 1, end <= source.tokens.count else { return }
        settle(token, source)
        edit(source) {
            $0.replace(
                source.tokens[token].start..<source.tokens[end - 1].end,
                with: "\"\(components[length...].joined(separator: "."))\"")
        }
    }

    /// Rewrites `filter(NSPredicate(format: "age > %d", 5))` to `filter("age > %d", 5)`.
    private func unwrapPredicate(_ call: Expression.Call, in body: FunctionBody, _ source: SourceText) {
        guard case .member(_, let name, _) = call.function.bare, name == "filter" || name == "index",
            let argument = call.arguments.first,
            name == "filter" ? argument.label == nil : argument.label == "matching",
            case .call(let predicate) = argument.value.bare,
            case .name("NSPredicate", let token?) = predicate.function.bare,
            let format = predicate.arguments.first, format.label == "format",
            predicate.arguments.dropFirst().allSatisfy({ $0.label == nil }), source.matches(token + 1, "("),
            source.matches(token + 2, "format"), source.matches(token + 3, ":")
        else { return }
        let end = source.index(afterBracketAt: token + 1)
        guard end <= source.tokens.count, end > token + 4 else { return }
        edit(source) { edits in
            edits.replace(source.tokens[token].start..<source.tokens[token + 4].start, with: "")
            // The arguments need no casts any more.
            for index in token + 4..<end - 1 where source.matches(index, "as") {
                let casts: [StaticString] = ["CVarArg", "NSDate", "NSString", "NSNumber", "NSData", "NSUUID"]
                guard casts.contains(where: { source.matches(index + 1, $0) }) else { continue }
                edits.replace(source.tokens[index - 1].end..<source.tokens[index + 1].end, with: "")
            }
            edits.replace(source.tokens[end - 1].range, with: "")
        }
        settle(token, source)
    }
}

extension Expression {
    /// The last name of a path.
    fileprivate var lastName: String? {
        switch bare {
        case .member(_, let name, _), .name(let name, _): name
        default: nil
        }
    }

    /// The token of that name.
    fileprivate var token: Int? {
        switch self {
        case .member(_, _, let token), .name(_, let token): token
        default: nil
        }
    }
}

/// A token in one of several sources.
struct PlacedToken: Hashable {
    var source: ObjectIdentifier
    var index: Int
}
