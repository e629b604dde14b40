import KivoEngine

/// A query of the objects of a class that is written as text.
package struct TextQuery {
    package let className: String
    private(set) var condition: QueryNode?
    /// The order of the objects, which is that of their keys if it is empty.
    package var order: [SortDescriptor]

    /// Creates a query for all objects of a class.
    package init(_ className: String) { (self.className, order) = (className, []) }

    /// Creates a query for the objects of a class, all of them or those for which a predicate holds.
    ///
    /// - Parameters:
    ///   - arguments: Texts for the placeholders of the predicate, which are removed. A placeholder for numbers takes the number that
    ///     its text represents, and one that is compared with a property a value of the property's type.
    ///   - type: Returns the type of the property at the end of a path, or nil if it is unknown or the property is a link.
    /// - Throws: ``Realm/Error`` if the predicate is malformed, or if an argument is missing or represents no such value.
    package init(
        _ className: String, where predicate: String?, taking arguments: inout ArraySlice<String>,
        order: [SortDescriptor] = [], type: ([String]) -> ScalarType? = { _ in nil }
    ) throws {
        (self.className, self.order) = (className, order)
        guard let predicate else { return }
        do {
            let values = try TextQuery.values(predicate, taking: &arguments)
            condition = try PredicateParser.parse(predicate, values)
            let texts = Set(values.compactMap { $0 as? String })
            condition = try condition?.converting(texts, type)
        } catch let error as PredicateSyntaxError {
            throw Realm.Error(.invalidInput, "The predicate is malformed. \(error)")
        }
    }

    /// The paths from the objects that the condition reads, as names of properties. Those inside of subqueries are left out.
    package var paths: [[String]] { condition?.paths.map(\.propertyNames) ?? [] }

    /// The words of predicates that can be completed, in capitals and in order.
    package static let words = PredicateWords.keywords.union(PredicateWords.constants.keys)
        .map { $0.uppercased() }.sorted()

    /// The words that make a text without signs a predicate, in capitals and in order.
    package static let conditionWords = PredicateWords.conditions.union(PredicateWords.operators.keys)
        .map { $0.uppercased() }.sorted()

    private static func values(
        _ predicate: String, taking arguments: inout ArraySlice<String>
    ) throws(PredicateSyntaxError) -> [Any?] {
        var values: [Any?] = []
        var numbered = 0
        for token in try PredicateLexer.tokens(of: predicate) {
            switch token.kind {
            case .argument, .keyPathArgument:
                if let text = arguments.popFirst() { values.append(text) }
            case .numberArgument:
                guard let text = arguments.popFirst() else { break }
                guard let number: Any = Int(text) ?? Double(text) else {
                    throw PredicateSyntaxError(
                        .refused("'\(token.text)' takes a number, not '\(text)'"), atScalar: token.offset,
                        of: predicate)
                }
                values.append(number)
            case .variable(let name): numbered = max(numbered, Int(name).map { $0 + 1 } ?? 0)
            default: break
            }
        }
        while values.count < numbered, let text = arguments.popFirst() { values.append(text) }
        return values
    }
}

extension QueryNode {
    /// Returns the condition with the texts of arguments as values of the properties with which they are compared.
    fileprivate func converting(
        _ texts: Set<String>, _ type: ([String]) -> ScalarType?
    ) throws -> QueryNode {
        switch self {
        case .constant: self
        case .comparison(let comparison): .comparison(try comparison.converting(texts, type))
        case .and(let left, let right):
            .and(try left.converting(texts, type), try right.converting(texts, type))
        case .or(let left, let right):
            .or(try left.converting(texts, type), try right.converting(texts, type))
        case .not(let node): .not(try node.converting(texts, type))
        }
    }

    fileprivate var paths: [QueryPath] {
        switch self {
        case .constant: []
        case .comparison(let comparison): comparison.left.paths + comparison.right.paths
        case .and(let left, let right), .or(let left, let right): left.paths + right.paths
        case .not(let node): node.paths
        }
    }
}

extension QueryComparison {
    fileprivate func converting(
        _ texts: Set<String>, _ type: ([String]) -> ScalarType?
    ) throws -> QueryComparison {
        if self.operator.isTextual { return self }
        var converted = self
        if let known = left.type(type) { converted.right = try right.converting(texts, known) }
        if let known = right.type(type) { converted.left = try left.converting(texts, known) }
        return converted
    }
}

extension QueryOperand {
    /// The type of the property at the end of a path. The number of elements of a collection is an integer.
    fileprivate func type(_ type: ([String]) -> ScalarType?) -> ScalarType? {
        switch self {
        case .subquery: return .int
        case .path(let path):
            if path.aggregate?.function == .count { return .int }
            let names = path.propertyNames
            return names.count == path.components.count && path.aggregate == nil ? type(names) : nil
        case .value, .arithmetic: return nil
        }
    }

    /// Returns the operand with the texts of arguments as values of a type.
    fileprivate func converting(_ texts: Set<String>, _ type: ScalarType) throws -> QueryOperand {
        func converted(_ value: Any?) throws -> Any? {
            guard let text = value as? String, texts.contains(text) else { return value }
            return try type.value(ofArgument: text)
        }
        guard case .value(let value) = self else { return self }
        if let values = value as? [Any?] { return .value(try values.map(converted)) }
        return .value(try converted(value))
    }

    fileprivate var paths: [QueryPath] {
        switch self {
        case .value: []
        case .path(let path), .subquery(let path, _): [path]
        case .arithmetic(let left, _, let right): left.paths + right.paths
        }
    }
}

extension QueryPath {
    /// The names of the properties up to the first other component.
    fileprivate var propertyNames: [String] {
        var names: [String] = []
        for component in components {
            guard case .property(let name) = component else { return names }
            names.append(name)
        }
        return names
    }
}

extension ScalarType {
    /// Returns the value that the text of an argument represents. Texts for properties of any type are strings.
    fileprivate func value(ofArgument text: String) throws -> Any {
        let value: Any?
        let expected: String
        switch self {
        case .string, .any: return text
        case .bool:
            (value, expected) = (
                ["true": true, "false": false, "1": true, "0": false][text], "true or false"
            )
        case .int8, .int16, .int32, .int64, .int, .float, .double:
            (value, expected) = (Int(text) ?? Double(text), "a number")
        case .decimal128: (value, expected) = PredicateLexer.value(of: text, calledBy: "decimal")
        case .date: (value, expected) = PredicateLexer.value(of: text, calledBy: "date")
        case .uuid: (value, expected) = PredicateLexer.value(of: text, calledBy: "uuid")
        case .objectId: (value, expected) = PredicateLexer.value(of: text, calledBy: "oid")
        case .data: (value, expected) = PredicateLexer.value(of: text, calledBy: "data")
        }
        if let value { return value }
        throw Realm.Error(.invalidInput, "The argument '\(text)' is not \(expected).")
    }
}
