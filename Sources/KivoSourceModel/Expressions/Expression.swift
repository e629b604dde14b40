/// An expression, reduced to its calls and names. Each part has its token, if that was found.
package indirect enum Expression {
    /// `dog`
    case name(String, token: Int?)
    /// `dog.name`; without a base `.name`
    case member(Expression?, String, token: Int?)
    case call(Call)
    /// `base[…]`
    case element(Expression)
    case string(String, token: Int?)
    case bool(Bool)
    case number(isFloating: Bool)
    case null
    case array([Expression])
    case dictionary([(key: Expression, value: Expression)])
    /// `Dog.self`
    case type(Expression)
    /// `List<Dog>`
    case generic(Expression, [TypeSyntax])
    /// `\Dog.name`, `#keyPath(Dog.name)`
    case keyPath(components: [String], isObjectiveC: Bool, token: Int?)
    /// An expression in `try`, `await`, `!`, `?` or parentheses.
    case wrapped(Expression)
    /// Any other expression, with its parts.
    case other([Expression])

    package struct Call {
        package var function: Expression
        package var arguments: [Argument]
    }

    package struct Argument {
        package var label: String?
        package var value: Expression
    }

    /// The expression without wrappers that only pass its value on.
    package var bare: Expression {
        if case .wrapped(let inner) = self { return inner.bare }
        return self
    }

    /// The direct parts of the expression.
    package var parts: [Expression] {
        switch self {
        case .name, .string, .bool, .number, .null, .keyPath: []
        case .member(let base, _, _): base.map { [$0] } ?? []
        case .call(let call): [call.function] + call.arguments.map(\.value)
        case .element(let base), .type(let base), .generic(let base, _), .wrapped(let base): [base]
        case .array(let elements), .other(let elements): elements
        case .dictionary(let pairs): pairs.flatMap { [$0.key, $0.value] }
        }
    }

    /// Calls `body` with the expression and all parts of it, outer ones first.
    package func forEach(_ body: (Expression) -> Void) {
        body(self)
        for part in parts { part.forEach(body) }
    }

    /// The value of a string literal.
    package var literal: String? {
        guard case .string(let text, _) = bare else { return nil }
        return text
    }

    /// The names of `A.B.C`.
    package var path: [String]? {
        switch bare {
        case .name(let name, _): [name]
        case .member(let base?, let name, _): base.path.map { $0 + [name] }
        case .generic(let base, _): base.path
        default: nil
        }
    }

    /// The values of an array of string literals, or nil for any other expression.
    package var literals: [String]? {
        guard case .array(let elements) = bare else { return nil }
        let texts = elements.compactMap(\.literal)
        return texts.count == elements.count ? texts : nil
    }
}
