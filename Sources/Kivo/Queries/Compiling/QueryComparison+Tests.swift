import Foundation
import KivoEngine

/// Tests that a comparison applies to the values of its left operand.
extension QueryComparison {
    /// Returns the test that compares values of a type with a value of the app. Traps if they cannot be compared by this
    /// operator.
    func test(_ type: QueryValueType, _ value: Any?) -> ValueTest {
        switch self.operator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            return equality(self.operator.order!, value, type)
        case .between:
            guard let bounds = CollectionContents.elements(of: value), bounds.count == 2 else {
                trap("BETWEEN needs two values, and was given '\(value ?? "nil")'.")
            }
            return .both(
                equality(.greaterOrEqual, bounds[0], type), equality(.lessOrEqual, bounds[1], type))
        case .isIn:
            guard let values = CollectionContents.elements(of: value) else {
                trap("IN needs a collection of values, and was given '\(value ?? "nil")'.")
            }
            return membership(values, type)
        case .beginsWith, .endsWith, .contains, .like: return text(type, value)
        case .matches:
            guard let expression = value as? RegularExpression, type.isString || type.isAny else {
                trap("MATCHES compares strings with a pattern, and was given \(type.text).")
            }
            return .rule { cell in
                if case .string(let string) = cell { expression.matches(string) } else { false }
            }
        case .geoWithin: trap("GEOWITHIN goes with a path to locations, and was given \(type.text).")
        }
    }

    /// Returns the test for equality or order, with the comparison's options.
    func equality(
        _ comparison: ComparisonOperator, _ value: Any?, _ type: QueryValueType
    ) -> ValueTest {
        if !options.isEmpty, let text = type.plain(value) as? String {
            guard type.isString || type.isAny else {
                trap("Only strings are compared with options, not \(type.text).")
            }
            return .text(TextTest(.order(comparison), text, folding: options.folding))
        }
        return type.test(comparison, value)
    }

    private func text(_ type: QueryValueType, _ value: Any?) -> ValueTest {
        let sign = self.operator.text!
        switch (type, type.plain(value)) {
        case (.scalar(.any), let text as String):
            return .text(TextTest(sign, text, folding: options.folding))
        case (.scalar(.any), let data as Data) where sign != .like:
            return .text(TextTest(sign, [UInt8](data)))
        case (.scalar(.any), nil): return .always(false)
        // No value contains nil, or begins or ends with it.
        case (.scalar(.string), nil), (.scalar(.data), nil): return .always(false)
        case (.scalar(.string), let text as String):
            return .text(TextTest(sign, text, folding: options.folding))
        case (.scalar(.data), let data as Data) where sign != .like:
            return .text(TextTest(sign, [UInt8](data)))
        case (.scalar(.string), _), (.scalar(.data), _): break
        // For elements of other types, CONTAINS means that a collection contains the value.
        default: if sign == .contains { return equality(.equal, value, type) }
        }
        trap(
            """
            \(self.operator.rawValue) compares strings, and was given \(type.text) and \
            '\(flatten(value) ?? "nil")'.
            """)
    }

    private func membership(_ values: [Any], _ type: QueryValueType) -> ValueTest {
        if !options.isEmpty { return .either(values.map { equality(.equal, $0, type) }) }
        return .oneOf(CellSet(values.compactMap { type.cell(of: $0) }, type.order))
    }

    /// Returns the relation between values of two types. Traps if they cannot be compared by this operator.
    func relation(_ left: QueryValueType, _ right: QueryValueType) -> ValueRelation {
        let sign = self.operator == .isIn ? .equal : self.operator
        if sign == .between { trap("BETWEEN compares with two values, not with a property.") }
        if sign == .matches { trap("MATCHES compares with a pattern, not with a property.") }
        if sign == .geoWithin { trap("GEOWITHIN compares with a shape, not with a property.") }
        if left.isText, right.isText, let text = sign.text ?? sign.order.map({ .order($0) }),
            sign.order == nil || !options.isEmpty
        {
            return .text(text, folding: options.folding)
        }
        guard let order = sign.order, let common = left.relation(order, right) else {
            trap("\(left.text) and \(right.text) cannot be compared by \(sign.rawValue).")
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
///
/// `Regex` is not sendable, because a regex that is built from parsers can hold any value. This regex is created from a pattern,
/// so that it consists of values. The program to which it is compiled is published atomically, and exists since `init`.
struct RegularExpression: @unchecked Sendable, CustomStringConvertible {
    private let pattern: String
    private let regex: Regex<AnyRegexOutput>
    private let folding: TextTest.Folding?

    /// Creates an expression from a pattern. Throws if the pattern is malformed.
    init(_ pattern: String, _ options: StringOptions) throws {
        self.pattern = pattern
        folding = options.subtracting(.caseInsensitive).folding
        let regex = try Regex(folding?(pattern) ?? pattern).matchingSemantics(.unicodeScalar)
        self.regex = options.contains(.caseInsensitive) ? regex.ignoresCase() : regex
        _ = try self.regex.wholeMatch(in: "")
    }

    var description: String { pattern }

    /// Whether a string matches.
    func matches(_ string: String) -> Bool {
        // Matching throws only in custom parsers, which a pattern cannot contain.
        (try? regex.wholeMatch(in: folding?(string) ?? string)) != nil
    }
}

extension QueryComparison {
    /// Returns the comparison of a mapped value that is stored as an embedded object, as comparisons of the object's properties.
    /// Returns nil for other comparisons. Traps if comparisons of properties cannot express it.
    func comparingProperties<Scope: QueryScope>(in scope: Scope) -> QueryNode? {
        guard case .path(let left) = left, left.aggregate == nil, case .value(let value?) = right,
            let object = (flatten(value) as? any _CustomPersistable)?.persistedObject
        else { return nil }
        let path = scope.resolve(left)
        guard let target = path.elements, target.info.isEmbedded else { return nil }
        guard `operator` == .equal || `operator` == .notEqual, options.isEmpty else {
            trap(
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
        guard quantifier == .any, let collection = Self.collection(left.components, scope) else {
            trap("Ask for the properties of '\(left.text).persistableValue', or in a subquery.")
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
    ) -> Int? {
        for length in 1...components.count {
            guard case .property = components[length - 1] else { continue }
            let begin = scope.resolve(Array(components[..<length]))
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
