/// A parser of types from the tokens of a source.
struct TypeParser {
    let source: SourceText
    /// The next token.
    var index: Int

    /// Returns the type that begins at a token, and the index of the token after it, or nil if no type begins there.
    static func type(in source: SourceText, at index: Int) -> (type: TypeSyntax, end: Int)? {
        var parser = TypeParser(source: source, index: index)
        guard let type = parser.type() else { return nil }
        return (type, parser.index)
    }

    private func isAt(_ text: StaticString) -> Bool { source.matches(index, text) }

    private mutating func accept(_ text: StaticString) -> Bool {
        guard isAt(text) else { return false }
        index += 1
        return true
    }

    mutating func type() -> TypeSyntax? {
        skipModifiers()
        let isExistential = accept("any") || accept("some")
        guard var type = postfixType() else { return nil }
        if isAt("&") {
            var parts = [type]
            while accept("&") {
                guard let part = postfixType() else { return nil }
                parts.append(part)
            }
            type = .existential(parts)
        } else if isExistential {
            type = .existential([type])
        }
        if isArrow() {
            while !accept("->") { index += 1 }
            return self.type() == nil ? nil : .function
        }
        return type
    }

    /// Whether a function's result follows, after its effects.
    private func isArrow() -> Bool {
        var probe = index
        while source.matches(probe, "async") || source.matches(probe, "throws")
            || source.matches(probe, "rethrows")
        {
            probe += 1
            if source.matches(probe, "(") { probe = source.index(afterBracketAt: probe) }
        }
        return source.matches(probe, "->")
    }

    private mutating func skipModifiers() {
        while true {
            if isAt("@") {
                index += 2
                if isAt("("), source.tokens[index].start == source.tokens[index - 1].end {
                    index = source.index(afterBracketAt: index)
                }
            } else if isAt("inout") || isAt("borrowing") || isAt("consuming") || isAt("sending")
                || isAt("isolated") || isAt("nonisolated") || isAt("__owned") || isAt("__shared")
            {
                index += 1
            } else {
                return
            }
        }
    }

    private mutating func postfixType() -> TypeSyntax? {
        guard var type = primaryType() else { return nil }
        while index < source.tokens.count {
            let isJoined = source.tokens[index].start == source.tokens[index - 1].end
            if isJoined, isAt("?") || isAt("!") {
                index += 1
                type = .optional(type)
            } else if isAt("."), source.matches(index + 1, "Type") || source.matches(index + 1, "Protocol") {
                index += 2
                type = .metatype(type)
            } else {
                break
            }
        }
        return type
    }

    private mutating func primaryType() -> TypeSyntax? {
        guard index < source.tokens.count else { return nil }
        let token = source.tokens[index]
        switch token.kind {
        case .word: return namedType()
        case .opening where isAt("["):
            index += 1
            guard let first = type() else { return nil }
            if accept(":") {
                guard let second = type(), accept("]") else { return nil }
                return .dictionary(first, second)
            }
            return accept("]") ? .array(first) : nil
        case .opening where isAt("("): return tupleType()
        default: return nil
        }
    }

    private mutating func namedType() -> TypeSyntax? {
        var components: [TypeSyntax.Component] = []
        repeat {
            guard index < source.tokens.count, source.tokens[index].kind == .word else { return nil }
            var component = TypeSyntax.Component(name: source.name(of: source.tokens[index]), arguments: [])
            index += 1
            if accept("<") {
                repeat {
                    guard let argument = type() else { return nil }
                    component.arguments.append(argument)
                } while accept(",")
                guard accept(">") else { return nil }
            }
            components.append(component)
            if isAt("."), source.matches(index + 1, "Type") || source.matches(index + 1, "Protocol") { break }
        } while accept(".")
        if components.count == 1, components[0].arguments.count == 1, components[0].name == "Optional" {
            return .optional(components[0].arguments[0])
        }
        return .named(components)
    }

    private mutating func tupleType() -> TypeSyntax? {
        index += 1
        var elements: [TypeSyntax] = []
        while !isAt(")") {
            // Labels: `a: Int`, `_ a: Int`.
            while index + 1 < source.tokens.count, source.tokens[index].kind == .word,
                source.matches(index + 1, ":")
                    || (source.tokens[index + 1].kind == .word && source.matches(index + 2, ":"))
            {
                index += source.matches(index + 1, ":") ? 2 : 3
            }
            guard let element = type() else { return nil }
            elements.append(element)
            while accept(".") {}
            if !accept(",") { break }
        }
        guard accept(")") else { return nil }
        if isArrow() { return .tuple(elements) }
        return elements.count == 1 ? elements[0] : .tuple(elements)
    }
}
