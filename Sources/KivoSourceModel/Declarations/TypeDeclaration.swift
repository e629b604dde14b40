/// A class, structure, enum, protocol, actor or extension of a source file.
package final class TypeDeclaration {
    package enum Kind: String {
        case `class`, `struct`, `enum`, `actor`, `protocol`, `extension`
    }

    package let kind: Kind
    package let source: SourceText
    /// The names of the enclosing types and its own, or of the extended type.
    package let path: [String]
    /// The enclosing declaration, which may be an extension.
    package let outer: TypeDeclaration?
    /// The offsets of the keyword (`class`, `enum`…) and of the name.
    package let keyword: Int
    package let nameOffset: Int
    /// The offsets of the first and the last token, from the keyword to the closing brace.
    package let range: (start: Int, end: Int)
    /// The token of the opening brace.
    package let brace: Int
    /// The types after the colon.
    package let inherited: [TypeSyntax]
    /// The range of each of ``inherited``.
    package let inheritedRanges: [Range<Int>]
    package let attributes: [AttributeDeclaration]
    package let isGeneric: Bool
    /// Whether it is in a function, so that other code cannot name it.
    package let isLocal: Bool
    /// The conditions of the enclosing `#if` branches.
    package let conditions: [String]

    package internal(set) var properties: [PropertyDeclaration] = []
    package internal(set) var functions: [FunctionDeclaration] = []
    package internal(set) var aliases: [AliasDeclaration] = []
    /// Whether some members are conditional, so that a missing member may exist after all.
    package internal(set) var hasConditionalMembers = false

    init(
        kind: Kind, source: SourceText, path: [String], outer: TypeDeclaration?, keyword: Int,
        nameOffset: Int,
        range: (start: Int, end: Int), header: TypeHeader, attributes: [AttributeDeclaration],
        isGeneric: Bool, isLocal: Bool, conditions: [String]
    ) {
        self.kind = kind
        self.source = source
        self.path = path
        self.outer = outer
        self.keyword = keyword
        self.nameOffset = nameOffset
        self.range = range
        brace = header.brace
        inherited = header.inherited
        inheritedRanges = header.ranges
        self.attributes = attributes
        self.isGeneric = isGeneric
        self.isLocal = isLocal
        self.conditions = conditions
    }

    /// The name, without those of the enclosing types.
    package var name: String { path.last ?? "" }
    package var qualifiedName: String { path.joined(separator: ".") }
    package var location: SourceLocation { source.location(of: nameOffset) }
    package var access: String? { attributes.first { $0.access != nil }?.access }

    /// Whether other files can name the type: neither the type nor an enclosing declaration is private, generic or local.
    package var isNameable: Bool {
        if isLocal || isGeneric || access == "private" || access == "fileprivate" { return false }
        return outer?.isNameable ?? true
    }
}

/// The part of a declaration between the name of a type and its brace.
struct TypeHeader {
    var inherited: [TypeSyntax] = []
    var ranges: [Range<Int>] = []
    /// The token of the opening brace.
    var brace: Int

    /// - Parameter index: the token after the name.
    init(_ source: SourceText, from index: Int) {
        var index = index
        if source.matches(index, "<") {
            var depth = 0
            repeat {
                if source.matches(index, "<") { depth += 1 }
                if source.matches(index, ">") { depth -= 1 }
                index += 1
            } while depth > 0 && index < source.tokens.count
        }
        // The further components of the extended type.
        while source.matches(index, ".") { index += 2 }
        if source.matches(index, ":") {
            repeat {
                index += 1
                guard let (type, end) = TypeParser.type(in: source, at: index) else { break }
                inherited.append(type)
                ranges.append(source.tokens[index].start..<source.tokens[end - 1].end)
                index = end
            } while source.matches(index, ",")
        }
        while index < source.tokens.count, !source.matches(index, "{") { index += 1 }
        brace = index
    }
}

/// An attribute or a modifier.
package struct AttributeDeclaration {
    /// The name, without `@`: `Persisted`, `objc`, `dynamic`, `override`, `available`.
    package var name: String
    /// The range from `@`, or the word, to the end.
    package var range: Range<Int>
    /// Whether it is a property wrapper, a macro or a global actor.
    package var isCustom: Bool
    package var arguments: [Expression.Argument]
    /// The access level: `private`, `public`…
    package var access: String?
    /// Whether the access level is only the setter's.
    package var isSetterAccess: Bool

    package func argument(_ label: String) -> Expression? { arguments.first { $0.label == label }?.value }
}

/// A property, or a variable of a type.
package struct PropertyDeclaration {
    package var name: String
    package var nameOffset: Int
    package var attributes: [AttributeDeclaration]
    package var type: TypeSyntax?
    /// The range of the type.
    package var typeRange: Range<Int>?
    package var value: Expression?
    /// The range of the default value.
    package var valueRange: Range<Int>?
    package var isLet: Bool
    package var isStatic: Bool
    package var isComputed: Bool
    /// The accessors and property observers that the declaration writes out.
    package var accessors: [AccessorDeclaration] = []
    /// Whether the declaration declares other variables too.
    package var isGrouped: Bool
    /// The range from the first attribute or modifier to the end of the declaration.
    package var range: Range<Int>
    /// The offset of `let` or `var`.
    package var keyword: Int
    package var conditions: [String]

    package func attribute(_ name: String) -> AttributeDeclaration? { attributes.first { $0.name == name } }
    package func accessor(_ kind: AccessorDeclaration.Kind) -> AccessorDeclaration? {
        accessors.first { $0.kind == kind }
    }
    package var persisted: AttributeDeclaration? { attribute("Persisted") }

    /// Whether the property notifies the observers of a plain class of assignments.
    package var isObserved: Bool { attribute("Observed") != nil || attribute("ObservedWeak") != nil }
}

/// An accessor or a property observer of a property.
package struct AccessorDeclaration {
    package enum Kind: String {
        case get, set, willSet, didSet
    }

    package var kind: Kind
    /// The token of the opening brace.
    package var brace: Int
    package var body: FunctionBody
}

/// A function of a type.
package struct FunctionDeclaration {
    package var name: String
    package var nameOffset: Int
    package var attributes: [AttributeDeclaration]
    package var isStatic: Bool
    package var hasParameters: Bool
    /// The range from the first attribute or modifier to the closing brace.
    package var range: Range<Int>
    package var body: FunctionBody?
    package var conditions: [String]

    /// The returned expression, if the function has no other code.
    package var returned: Expression? { body?.returned }
}

/// A type alias.
package struct AliasDeclaration {
    package var name: String
    package var isGeneric: Bool
    package var type: TypeSyntax?
}

/// The body of a function, an accessor or a default value.
package struct FunctionBody {
    package var owner: TypeDeclaration?
    package var parameters: [Binding]
    package var bindings: [Binding]
    package var expressions: [Expression]
    /// The tokens of the code, or an empty range for a default value.
    package var tokens: Range<Int>

    package init(
        owner: TypeDeclaration?, parameters: [Binding] = [], bindings: [Binding] = [],
        expressions: [Expression] = [], tokens: Range<Int> = 0..<0
    ) {
        self.owner = owner
        self.parameters = parameters
        self.bindings = bindings
        self.expressions = expressions
        self.tokens = tokens
    }

    /// The returned expression, if there is no other code.
    package var returned: Expression? {
        guard expressions.count == 1 else { return nil }
        guard case .other(let parts) = expressions[0].bare, parts.count == 1 else {
            return expressions[0].bare
        }
        return parts[0].bare
    }

    /// Returns what declares a local name. `if let dog = dog` and `[dog]` name what is declared outside.
    package func bindings(of name: String) -> [Binding] {
        (parameters + bindings).filter { binding in
            if case .name(name, _)? = binding.value?.bare { return false }
            return binding.name == name
        }
    }
}
