/// A reader that creates expressions from the parser's dump, and finds their tokens.
///
/// The dump contains no offsets of expressions, but their order is that of the source. Therefore names and string literals are
/// searched in this order among the tokens of the enclosing statement, closure or declaration, whose offsets it does contain.
final class ExpressionReader {
    let source: SourceText
    /// The next token that may belong to an expression.
    private var next: Int
    /// The token after the statement, closure or declaration that is read.
    private var end: Int
    /// The token after the last capture list, which precedes the closure's body in the dump, and is inside of it in the source.
    private var endOfCaptures = 0
    /// The bindings of the body, in order.
    private(set) var bindings: [Binding] = []
    /// Declarations of types in the body.
    private(set) var localTypes: [DumpNode] = []

    /// - Parameter range: the offsets of the first and of the last token.
    init(source: SourceText, range: (start: Int, end: Int)) {
        self.source = source
        next = source.tokenIndex(from: range.start)
        end = source.tokenIndex(afterTokenAt: range.end)
    }

    /// Reads a node whose offsets are known among its own tokens, so that no search goes wrong for longer than the node.
    private func within<Result>(_ node: DumpNode, _ read: () -> Result) -> Result {
        guard let range = node.range else { return read() }
        let outer = end
        next = max(endOfCaptures, source.tokenIndex(from: range.start))
        end = min(outer, source.tokenIndex(afterTokenAt: range.end))
        defer { (next, end) = (end, outer) }
        return read()
    }

    /// Returns the next matching token, or nil if there is none.
    private func find(_ matches: (Int) -> Bool) -> Int? {
        var index = next
        while index < end {
            if matches(index) {
                next = index + 1
                return index
            }
            index += 1
        }
        return nil
    }

    private func find(name: String, isMember: Bool) -> Int? {
        let name = String(name.prefix { $0 != "(" })
        let length = name.utf8.count
        return find { index in
            let token = source.tokens[index]
            guard token.kind == .word, source.matches(index - 1, ".") == isMember else { return false }
            let isQuoted = source.bytes[token.start] == 0x60
            guard token.end - token.start == length + (isQuoted ? 2 : 0) else { return false }
            return source.name(of: token) == name
        }
    }

    /// Passes the name that a pattern binds. In `if let dog` and `[dog]` it is the value, too.
    @discardableResult
    private func pass(boundName name: String) -> Int? {
        guard let token = find(name: name, isMember: false) else { return nil }
        if !source.matches(token + 1, "="), !source.matches(token + 1, ":") { next = token }
        return token
    }

    private func find(string: String) -> Int? {
        let wanted = Array(string.utf8)
        return find { index in
            let token = source.tokens[index]
            guard token.kind == .string, token.end - token.start >= wanted.count else { return false }
            return StringLiteral(token, in: source).value == wanted
        }
    }

    private func expressions(_ nodes: [DumpNode]) -> [Expression] {
        var expressions: [Expression] = []
        for node in nodes {
            if let expression = expression(node) { expressions.append(expression) }
        }
        return expressions
    }

    /// Returns the expressions in all fields of a node.
    private func children(_ node: DumpNode) -> [Expression] {
        var expressions: [Expression] = []
        for (name, value) in node.fields where name != "attrs" {
            switch value {
            case .node(let child): if let result = expression(child) { expressions.append(result) }
            case .list(let values): expressions += self.expressions(values.compactMap(\.node))
            default: break
            }
        }
        return expressions
    }

    private func wrapped(_ node: DumpNode?) -> Expression? {
        node.flatMap { expression($0) }.map { .wrapped($0) }
    }

    /// Returns the expression of a node, or of a statement's contents, or nil if the node contains none.
    func expression(_ node: DumpNode) -> Expression? {
        switch node.kind {
        case "unresolved_decl_ref_expr":
            let name = node.string("name") ?? ""
            return .name(name, token: find(name: name, isMember: false))
        case "declref_expr": return .name(Self.localName(node.string("decl") ?? ""), token: nil)
        case "super_ref_expr": return .name("super", token: nil)
        case "unresolved_dot_expr":
            let base = node.node("base").flatMap { expression($0) }
            let name = node.string("field") ?? ""
            let token = node.isTrue("implicit") ? nil : find(name: name, isMember: true)
            return .member(base, name, token: token)
        case "unresolved_member_expr":
            let name = node.string("name") ?? ""
            return .member(nil, name, token: find(name: name, isMember: true))
        case "call_expr": return call(node)
        case "subscript_expr":
            let base = node.node("base").flatMap { expression($0) } ?? .null
            let arguments = node.node("args").map { self.arguments($0) } ?? []
            return .other([.element(base)] + arguments.map(\.value))
        case "string_literal_expr":
            let text = node.string("value") ?? ""
            return .string(text, token: find(string: text))
        case "interpolated_string_literal_expr":
            let token = find { source.tokens[$0].kind == .interpolatedString }
            let parts = interpolations(node)
            if let token { next = source.tokenIndex(from: source.tokens[token].end) }
            return .other(parts)
        case "boolean_literal_expr": return .bool(node.isTrue("value") || node.string("value") == "true")
        case "integer_literal_expr": return .number(isFloating: false)
        case "float_literal_expr": return .number(isFloating: true)
        case "nil_literal_expr": return .null
        case "array_expr": return .array(expressions(node.nodes("elements")))
        case "dictionary_expr": return dictionary(node)
        case "dot_self_expr": return node.node("sub_expr").flatMap { expression($0) }.map { .type($0) }
        case "unresolved_specialize_expr":
            let base = node.node("sub_expr").flatMap { expression($0) } ?? .null
            let first = next
            return .generic(base, genericArguments(from: first))
        case "keypath_expr": return keyPath(node)
        case "try_expr", "force_try_expr", "optional_try_expr", "await_expr", "force_value_expr",
            "bind_optional_expr", "optional_evaluation_expr", "paren_expr", "unsafe_expr":
            return wrapped(node.node("sub_expr"))
        case "tuple_expr":
            let elements = expressions(node.nodes("elements"))
            return elements.count == 1 ? .wrapped(elements[0]) : .other(elements)
        case "sequence_expr":
            let elements = expressions(node.nodes("elements"))
            return elements.count == 1 ? elements[0] : .other(elements)
        case "pattern_binding_decl": return .other(within(node) { bind(node) })
        case "capture_list":
            let captures = expressions(node.nodes("captures"))
            endOfCaptures = next
            return .other(captures + expressions([node.node("closure_body")].compactMap { $0 }))
        case "pattern" where node.node("initializer") != nil:
            let name = node.node("pattern").flatMap(Self.patternName)
            if let name { pass(boundName: name) }
            let pattern = name == nil ? node.node("pattern").flatMap { expression($0) } : nil
            let value = node.node("initializer").flatMap { expression($0) }
            if let name { bindings.append(Binding(name: name, type: nil, value: value)) }
            return .other([pattern, value].compactMap { $0 })
        case "pattern_named":
            if let name = node.name { bindings.append(Binding(name: name, type: nil, value: nil)) }
            return nil
        case "for_each_stmt": return .other(within(node) { forEach(node) })
        case "class_decl", "struct_decl", "enum_decl", "actor_decl", "protocol", "extension_decl":
            localTypes.append(node)
            return nil
        case "parameter":
            if let name = node.name, !node.isTrue("implicit") {
                bindings.append(Binding(name: name, type: nil, value: nil))
            }
            let result = children(node)
            return result.isEmpty ? nil : .other(result)
        case "decl_name", "base_name", "compiler_version", "range": return nil
        default:
            if node.kind.hasPrefix("type_") || node.kind == "<null expr>" { return nil }
            let isBounded =
                node.kind.hasSuffix("_stmt") || node.kind == "func_decl" || node.kind == "accessor_decl"
            let result = isBounded ? within(node) { children(node) } : children(node)
            if result.isEmpty { return nil }
            return .other(result)
        }
    }

    private func call(_ node: DumpNode) -> Expression {
        let function = node.node("fn").flatMap { expression($0) } ?? .null
        let arguments = node.node("args").map { self.arguments($0) } ?? []
        return .call(Expression.Call(function: function, arguments: arguments))
    }

    private func arguments(_ node: DumpNode) -> [Expression.Argument] {
        var arguments: [Expression.Argument] = []
        for argument in node.nodes("args") {
            let value = argument.node("expr").flatMap { expression($0) } ?? .other([])
            let label = argument.string("label")
            arguments.append(Expression.Argument(label: label == "" ? nil : label, value: value))
        }
        return arguments
    }

    private func dictionary(_ node: DumpNode) -> Expression {
        var pairs: [(key: Expression, value: Expression)] = []
        for element in node.nodes("elements") {
            let parts = expressions(element.nodes("elements"))
            if parts.count == 2 { pairs.append((parts[0], parts[1])) }
        }
        return .dictionary(pairs)
    }

    /// Returns the expressions interpolated into a string, without the calls that the compiler adds.
    private func interpolations(_ node: DumpNode) -> [Expression] {
        guard let body = node.node("appending_expr")?.node("body") else { return [] }
        var result: [Expression] = []
        for element in body.nodes("elements") where element.kind == "call_expr" && !element.isTrue("implicit")
        {
            result += element.node("args").map { self.arguments($0).map(\.value) } ?? []
        }
        return result
    }

    /// Returns the types in `<…>` at a token.
    private func genericArguments(from index: Int) -> [TypeSyntax] {
        guard source.matches(index, "<") else { return [] }
        var parser = TypeParser(source: source, index: index + 1)
        var types: [TypeSyntax] = []
        while let type = parser.type() {
            types.append(type)
            guard source.matches(parser.index, ",") else { break }
            parser.index += 1
        }
        return types
    }

    private func keyPath(_ node: DumpNode) -> Expression {
        let isObjectiveC = node.isTrue("objc")
        let token = find { source.matches($0, isObjectiveC ? "#keyPath" : "\\") }
        if let token {
            next = isObjectiveC ? source.index(afterBracketAt: token + 1) : endOfKeyPath(from: token)
        }
        var components = node.nodes("components").compactMap { $0.string("decl_name") }
        if !isObjectiveC, let parsed = node.node("parsed_root") ?? node.node("parsed_path") {
            components = Self.names(parsed)
        }
        return .keyPath(components: components, isObjectiveC: isObjectiveC, token: token)
    }

    /// Returns the token after `\Dog.owner?.name`.
    private func endOfKeyPath(from token: Int) -> Int {
        var index = token + 1
        while index < end, source.tokens[index].start == source.tokens[index - 1].end {
            switch source.tokens[index].kind {
            case .word: index += 1
            case .opening where !source.matches(index, "{"): index = source.index(afterBracketAt: index)
            case .sign where [".", "?", "!", "<", ">"].contains { source.matches(index, $0) }: index += 1
            default: return index
            }
        }
        return index
    }

    private static func names(_ node: DumpNode) -> [String] {
        let base = (node.node("base") ?? node.node("sub_expr")).map(names) ?? []
        return base + [node.string("field") ?? node.string("name")].compactMap { $0 }
    }

    /// Reads a loop. The dump has its condition before its sequence.
    private func forEach(_ node: DumpNode) -> [Expression] {
        let pattern = node.node("pattern")
        let name = pattern.flatMap(Self.patternName)
        if let name { _ = find(name: name, isMember: false) }
        var parts = name == nil ? expressions([pattern].compactMap { $0 }) : []
        let sequence = node.node("parsed_sequence").flatMap { expression($0) }
        if let name {
            bindings.append(Binding(name: name, type: nil, value: sequence.map { .element($0) }))
        }
        parts += [sequence].compactMap { $0 }
        return parts + expressions([node.node("where"), node.node("body")].compactMap { $0 })
    }

    /// Adds the bindings of a variable declaration in a body, or of a capture.
    private func bind(_ node: DumpNode) -> [Expression] {
        var result: [Expression] = []
        for entry in node.nodes("pattern_entries") {
            let pattern = entry.node("pattern")
            let name = pattern.flatMap(Self.patternName)
            var type: TypeSyntax?
            if let name, let token = pass(boundName: name), source.matches(token + 1, ":"),
                let (syntax, end) = TypeParser.type(in: source, at: token + 2)
            {
                type = syntax
                next = end
            }
            if name == nil { result += expressions([pattern].compactMap { $0 }) }
            let value = entry.node("original_init").flatMap { expression($0) }
            if let name { bindings.append(Binding(name: name, type: type, value: value)) }
            if let value { result.append(value) }
        }
        return result
    }

    /// Returns the name that a pattern binds, if it binds one.
    static func patternName(_ node: DumpNode) -> String? {
        node.kind == "pattern_named" ? node.name : node.node("sub_pattern").flatMap(patternName)
    }

    /// Returns the name of a local declaration from its identity in the dump: `file.f().x@file.swift:1:2`.
    private static func localName(_ identity: String) -> String {
        let path = identity.split(separator: "@", maxSplits: 1).first ?? ""
        return path.split(separator: ".").last.map(String.init) ?? ""
    }
}

/// A name that a body binds to a value.
package struct Binding {
    package var name: String
    package var type: TypeSyntax?
    package var value: Expression?
}
