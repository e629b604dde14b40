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
