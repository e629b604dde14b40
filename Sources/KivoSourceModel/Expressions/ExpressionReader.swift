/// A reader that creates expressions from the parser's dump, and finds their tokens.
///
/// The dump contains no offsets of expressions, but their order is that of the source. Therefore names and string literals are
/// searched in this order among the tokens of the enclosing declaration.
final class ExpressionReader {
    let source: SourceText
    /// The next token that may belong to an expression.
    private var next: Int
    /// The token after the declaration.
    private let end: Int
    /// The bindings of the body, in order.
    private(set) var bindings: [Binding] = []
    /// Declarations of types in the body.
    private(set) var localTypes: [DumpNode] = []

    /// - Parameter range: the offsets of the first and of the last token.
    init(source: SourceText, range: (start: Int, end: Int)) {
        self.source = source
        next = source.tokenIndex(from: range.start)
        end = min(source.tokens.count, source.tokenIndex(from: range.end) + 1)
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
            _ = find { source.tokens[$0].kind == .interpolatedString }
            return .other(interpolations(node))
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
        case "pattern_binding_decl": return .other(bind(node))
        case "pattern" where node.node("initializer") != nil:
            let value = node.node("initializer").flatMap { expression($0) }
            if let name = node.node("pattern").flatMap(Self.patternName) {
                bindings.append(Binding(name: name, type: nil, value: value))
            }
            return value
        case "for_each_stmt":
            let sequence = node.node("parsed_sequence").flatMap { expression($0) }
            if let name = node.node("pattern").flatMap(Self.patternName) {
                bindings.append(Binding(name: name, type: nil, value: sequence.map { .element($0) }))
            }
            let body = node.node("body").flatMap { expression($0) }
            return .other([sequence, body].compactMap { $0 })
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
            let result = children(node)
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
        var components = node.nodes("components").compactMap { $0.string("decl_name") }
        if !isObjectiveC, let parsed = node.node("parsed_root") ?? node.node("parsed_path") {
            components = Self.names(parsed)
        }
        return .keyPath(components: components, isObjectiveC: isObjectiveC, token: token)
    }

    private static func names(_ node: DumpNode) -> [String] {
        let base = (node.node("base") ?? node.node("sub_expr")).map(names) ?? []
        return base + [node.string("field") ?? node.string("name")].compactMap { $0 }
    }

    /// Adds the bindings of a variable declaration in a body.
    private func bind(_ node: DumpNode) -> [Expression] {
        var result: [Expression] = []
        for entry in node.nodes("pattern_entries") {
            let name = entry.node("pattern").flatMap(Self.patternName)
            let token = name.flatMap { find(name: $0, isMember: false) }
            var type: TypeSyntax?
            if let token, source.matches(token + 1, ":") {
                type = TypeParser.type(in: source, at: token + 2)?.type
            }
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
