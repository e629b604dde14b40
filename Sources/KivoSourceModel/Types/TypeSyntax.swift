/// A type as it is written.
package indirect enum TypeSyntax: Hashable, Sendable {
    /// `A.B<C>`: each component with its generic arguments.
    case named([Component])
    case optional(TypeSyntax)
    case array(TypeSyntax)
    case dictionary(TypeSyntax, TypeSyntax)
    case tuple([TypeSyntax])
    case function
    /// `any P`, `some P`, `P & Q`
    case existential([TypeSyntax])
    /// `T.Type`
    case metatype(TypeSyntax)

    package struct Component: Hashable, Sendable {
        package var name: String
        package var arguments: [TypeSyntax]
    }

    /// Creates the type with some names, outermost first.
    package init(path: [String]) { self = .named(path.map { Component(name: $0, arguments: []) }) }

    /// Returns a named type without generic arguments.
    package static func name(_ name: String) -> TypeSyntax { .named([Component(name: name, arguments: [])]) }

    /// The names of the components of a named type.
    package var path: [String]? {
        guard case .named(let components) = self else { return nil }
        return components.map(\.name)
    }

    /// The type without the `?`s around it.
    package var unwrapped: TypeSyntax {
        if case .optional(let wrapped) = self { return wrapped.unwrapped }
        return self
    }

    /// The type as text, in the usual formatting.
    package var text: String {
        func list(_ types: [TypeSyntax]) -> String { types.map(\.text).joined(separator: ", ") }
        switch self {
        case .named(let components):
            return components.map { $0.arguments.isEmpty ? $0.name : "\($0.name)<\(list($0.arguments))>" }
                .joined(separator: ".")
        case .optional(let wrapped):
            switch wrapped {
            case .existential, .function: return "(\(wrapped.text))?"
            default: return wrapped.text + "?"
            }
        case .array(let element): return "[\(element.text)]"
        case .dictionary(let key, let value): return "[\(key.text): \(value.text)]"
        case .tuple(let elements): return "(\(list(elements)))"
        case .function: return "(…) -> …"
        case .existential(let parts):
            return parts.count == 1 ? "any " + parts[0].text : parts.map(\.text).joined(separator: " & ")
        case .metatype(let type): return type.text + ".Type"
        }
    }
}
