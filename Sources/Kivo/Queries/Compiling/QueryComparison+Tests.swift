import Foundation
import KivoEngine

/// Tests that a comparison applies to the values of its left operand.
extension QueryComparison {
    /// Returns the test that compares values of a type with a value of the app. Throws if they cannot be compared by this
    /// operator.
    func test(_ type: QueryValueType, _ value: Any?) throws(QueryMismatch) -> ValueTest {
        switch self.operator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            return try equality(self.operator.order!, value, type)
        case .between:
            guard let bounds = CollectionContents.elements(of: value), bounds.count == 2 else {
                throw QueryMismatch(
                    "BETWEEN needs two values, and was given \(RefusedValue(value).inSentence).")
            }
            return .both(
                try equality(.greaterOrEqual, bounds[0], type), try equality(.lessOrEqual, bounds[1], type))
        case .isIn:
            guard let values = CollectionContents.elements(of: value) else {
                throw QueryMismatch(
                    "IN needs a collection of values, and was given \(RefusedValue(value).inSentence).")
            }
            return try membership(values, type)
        case .beginsWith, .endsWith, .contains, .like: return try text(type, value)
        case .matches:
            guard let expression = value as? RegularExpression, type.isString || type.isAny else {
                throw QueryMismatch("MATCHES compares strings with a pattern, and was given \(type.text).")
            }
            return .rule { cell in
                if case .string(let string) = cell { expression.matches(string) } else { false }
            }
        case .geoWithin:
            throw QueryMismatch("GEOWITHIN goes with a path to locations, and was given \(type.text).")
        }
    }

    /// Returns the test for equality or order, with the comparison's options.
    func equality(
        _ comparison: ComparisonOperator, _ value: Any?, _ type: QueryValueType
    ) throws(QueryMismatch) -> ValueTest {
        if options.isEmpty { return try type.test(comparison, value) }
        switch type.plain(value) {
        case let text as String:
            guard type.isString || type.isAny else {
                throw QueryMismatch("Only strings are compared with options, not \(type.text).")
            }
            return .text(TextTest(.order(comparison), text, folding: options.folding))
        case let data as Data where type.isText && !type.isString:
            return .text(TextTest(.order(comparison), [UInt8](data), folding: options.folding))
        default: return try type.test(comparison, value)
        }
    }

    private func text(_ type: QueryValueType, _ value: Any?) throws(QueryMismatch) -> ValueTest {
        let sign = self.operator.text!
        switch (type, type.plain(value)) {
        case (.scalar(.any), let text as String), (.scalar(.string), let text as String):
            return .text(TextTest(sign, text, folding: options.folding))
        case (.scalar(.any), let data as Data), (.scalar(.data), let data as Data):
            return .text(TextTest(sign, [UInt8](data), folding: options.folding))
        // Only nil is like nil. No value contains it, or begins or ends with it.
        case (.scalar(.any), nil), (.scalar(.string), nil), (.scalar(.data), nil):
            return sign == .like ? .compare(.equal, .null, type.order) : .always(false)
        case (.scalar(.string), _), (.scalar(.data), _): break
        // For elements of other types, CONTAINS means that a collection contains the value.
        default: if sign == .contains { return try equality(.equal, value, type) }
        }
        throw QueryMismatch(
            """
            \(self.operator.rawValue) compares strings or data, and was given \(type.text) and \
            \(RefusedValue(value).inSentence).
            """)
    }

    private func membership(_ values: [Any], _ type: QueryValueType) throws(QueryMismatch) -> ValueTest {
        if !options.isEmpty {
            return .either(
                try values.map { value throws(QueryMismatch) in try equality(.equal, value, type) })
        }
        let cells = try values.map { value throws(QueryMismatch) in try type.cell(of: value) }
        return .oneOf(CellSet(cells.compactMap { $0 }, type.order))
    }

    /// Returns the relation between values of two types. Throws if they cannot be compared by this operator.
    func relation(
        _ left: QueryValueType, _ right: QueryValueType
    ) throws(QueryMismatch) -> ValueRelation {
        let sign = self.operator == .isIn ? .equal : self.operator
        if sign == .between { throw QueryMismatch("BETWEEN compares with two values, not with a property.") }
        if sign == .matches { throw QueryMismatch("MATCHES compares with a pattern, not with a property.") }
        if sign == .geoWithin { throw QueryMismatch("GEOWITHIN compares with a shape, not with a property.") }
        if left.isText(like: right), let text = sign.text ?? sign.order.map({ .order($0) }),
            sign.order == nil || !options.isEmpty
        {
            return .text(text, folding: options.folding)
        }
        guard let order = sign.order, let common = left.relation(order, right) else {
            throw QueryMismatch("\(left.text) and \(right.text) cannot be compared by \(sign.rawValue).")
        }
        return common
    }
}

extension QueryComparison.Operator {
    fileprivate var order: ComparisonOperator? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .beginsWith, .endsWith, .contains, .like, .matches, .isIn, .between, .geoWithin: nil
        }
    }

    fileprivate var text: TextTest.Operator? {
        switch self {
        case .beginsWith: .begins
        case .endsWith: .ends
        case .contains: .contains
        case .like: .like
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: nil
        case .matches, .isIn, .between, .geoWithin: nil
        }
    }
}

/// A regular expression in a condition. It matches whole strings, by Unicode scalars.
struct RegularExpression: Sendable, CustomStringConvertible {
    let description: String
    private let pattern: Pattern
    private let folding: TextTest.Folding?

    /// Creates an expression from a pattern. Throws if the pattern is malformed.
    init(_ pattern: String, _ options: StringOptions) throws(PatternError) {
        description = pattern
        folding = options.subtracting(.caseInsensitive).folding
        self.pattern = try Pattern(
            folding?(pattern) ?? pattern, ignoringCase: options.contains(.caseInsensitive))
    }

    /// Whether a string matches.
    func matches(_ string: String) -> Bool { pattern.matches(folding?(string) ?? string) }
}

extension QueryComparison {
    /// Returns the comparison of a mapped value that is stored as an embedded object, as comparisons of the object's properties.
    /// Returns nil for other comparisons. Throws if comparisons of properties cannot express it.
    func comparingProperties<Scope: QueryScope>(in scope: Scope) throws(QueryMismatch) -> QueryNode? {
        guard case .path(let left) = left, left.aggregate == nil, case .value(let value?) = right,
            let object = (flatten(value) as? any _CustomPersistable)?.persistedObject
        else { return nil }
        let path = try scope.resolve(left)
        guard let target = path.elements, target.info.isEmbedded else { return nil }
        guard `operator` == .equal || `operator` == .notEqual, options.isEmpty else {
            throw QueryMismatch(
                """
                Values of '\(left.text)' are stored as objects of class '\(target.info.name)', which are equal or not: compare \
                their properties, '\(left.text).persistableValue'.
                """)
        }
        let isEqual = `operator` == .equal
        if path.isSingle {
            let equality = QueryComparison.equality(left.components, object)
            return isEqual ? equality : .not(equality)
        }
        guard quantifier == .any, let collection = try Self.collection(left.components, scope) else {
            throw QueryMismatch(
                "Ask for the properties of '\(left.text).persistableValue', or in a subquery.")
        }
        // All properties of one and the same element must be equal, or one of them must differ.
        var element = self
        element.left = .path(QueryPath(components: Array(left.components[collection...])))
        let equality = QueryComparison.equality([], object)
        let isWhole = collection == left.components.count
        let condition = isWhole ? (isEqual ? equality : .not(equality)) : .comparison(element)
        let elements = QueryPath(components: Array(left.components[..<collection]))
        return .comparison(
            QueryComparison(left: .subquery(elements, condition), operator: .greater, right: .value(0)))
    }

    /// Returns the number of components up to the first collection of objects on a path.
    private static func collection(
        _ components: [QueryPath.Component], _ scope: some QueryScope
    ) throws(QueryMismatch) -> Int? {
        for length in 1...components.count {
            guard case .property = components[length - 1] else { continue }
            let begin = try scope.resolve(Array(components[..<length]))
            if begin.isSingle || begin.elements == nil { continue }
            guard length < components.count else { return length }
            return components[length] == .values ? length + 1 : length
        }
        return nil
    }

    /// Returns the condition that there is an object at a path, and that its properties equal those of another object.
    private static func equality(_ path: [QueryPath.Component], _ object: ObjectBase) -> QueryNode {
        func compared(
            _ components: [QueryPath.Component], _ sign: Operator, _ value: Any?
        ) -> QueryNode {
            let operand = QueryOperand.path(QueryPath(components: components))
            return .comparison(QueryComparison(left: operand, operator: sign, right: .value(value)))
        }
        var node = path.isEmpty ? .constant(true) : compared(path, .notEqual, nil)
        for property in object.kivoInfo.storedProperties where property.type.collection == .none {
            let value = object.kivoValue(property).flatMap(flatten)
            let component = path + [.property(property.name)]
            if property.isOwning, let part = value.flatMap({ persisted($0) as? ObjectBase }) {
                node = .and(node, equality(component, part))
            } else {
                node = .and(node, compared(component, .equal, value))
            }
        }
        return node
    }
}
