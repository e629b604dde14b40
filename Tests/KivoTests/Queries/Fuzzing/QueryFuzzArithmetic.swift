import Kivo

extension QueryFuzz {
    /// How two numbers are put together.
    enum Arithmetic: String, CaseIterable, Sendable {
        case plus = "+"
        case minus = "-"
        case times = "*"
        case dividedBy = "/"

        /// Returns the result of the operation; two integers give an integer, which saturates.
        func result(_ a: Value, _ b: Value) -> Value {
            if a == .null || b == .null { return .null }
            guard case .int(let x) = a, case .int(let y) = b else {
                let (x, y) = (a.number!, b.number!)
                switch self {
                case .plus: return .double(x + y)
                case .minus: return .double(x - y)
                case .times: return .double(x * y)
                case .dividedBy: return .double(x / y)
                }
            }
            let (wide, other) = (Int128(x), Int128(y))
            let exact: Int128 =
                switch self {
                case .plus: wide + other
                case .minus: wide - other
                case .times: wide * other
                case .dividedBy: other == 0 ? (x < 0 ? Int128.min : .max) : wide / other
                }
            return .int(Int(Swift.min(Swift.max(exact, Int128(Int.min)), Int128(Int.max))))
        }
    }
}

extension QueryFuzz.Generator {
    /// A number that is made of others.
    mutating func computed(_ root: QueryFuzz.Class, depth: Int) -> (QueryFuzz.Operand, QueryFuzz.Shape)? {
        guard let first = number(root, depth: depth) else { return nil }
        let sign = pick(QueryFuzz.Arithmetic.allCases)
        var second: (operand: QueryFuzz.Operand, shape: QueryFuzz.Shape)
        if random.chance(60) {
            let shape: QueryFuzz.Shape = random.chance(75) ? .int : .double
            second = (.constant(random.chance(4) ? .null : value(shape)), shape)
        } else {
            guard let other = number(root, depth: depth) else { return nil }
            second = other
        }
        let shape: QueryFuzz.Shape = first.shape == .int && second.shape == .int ? .int : .double
        if random.chance(50) { return (.computed(first.operand, sign, second.operand), shape) }
        return (.computed(second.operand, sign, first.operand), shape)
    }

    private mutating func number(
        _ root: QueryFuzz.Class, depth: Int
    ) -> (operand: QueryFuzz.Operand, shape: QueryFuzz.Shape)? {
        if depth > 0, random.chance(25) {
            return computed(root, depth: depth - 1).map { (operand: $0.0, shape: $0.1) }
        }
        for _ in 0..<8 {
            if random.chance(15) {
                let (operand, shape, _) = aggregateOperand(root)
                if shape != .date { return (operand, shape) }
                continue
            }
            let path = path(root)
            switch path.property?.shape {
            case .int, .numbers, .map: return (.path(path), .int)
            case .double: return (.path(path), .double)
            default: continue
            }
        }
        return nil
    }
}

extension QueryFuzz.Typist {
    /// Returns the typed operand for arithmetic on two operands of one type, one of which can be a constant.
    func computed(
        _ left: QueryFuzz.Operand, _ sign: QueryFuzz.Arithmetic, _ right: QueryFuzz.Operand,
        _ operand: (QueryFuzz.Operand) -> QueryFuzz.TypedOperand?
    ) -> QueryFuzz.TypedOperand? {
        switch (left, right) {
        case (.constant(let value), _):
            switch (operand(right), value) {
            case (.int(let query), .int(let value)): return .int(result(sign, value, query))
            case (.double(let query), .double(let value)): return .double(result(sign, value, query))
            case (.optInt(let query), .int), (.optInt(let query), .null):
                return .optInt(result(sign, value.int, query))
            case (.optDouble(let query), .double), (.optDouble(let query), .null):
                return .optDouble(result(sign, value.double, query))
            default: return nil
            }
        case (_, .constant(let value)):
            switch (operand(left), value) {
            case (.int(let query), .int(let value)): return .int(result(sign, query, value))
            case (.double(let query), .double(let value)): return .double(result(sign, query, value))
            case (.optInt(let query), .int), (.optInt(let query), .null):
                return .optInt(result(sign, query, value.int))
            case (.optDouble(let query), .double), (.optDouble(let query), .null):
                return .optDouble(result(sign, query, value.double))
            default: return nil
            }
        default:
            switch (operand(left), operand(right)) {
            case (.int(let a), .int(let b)): return .int(result(sign, a, b))
            case (.double(let a), .double(let b)): return .double(result(sign, a, b))
            case (.optInt(let a), .optInt(let b)): return .optInt(result(sign, a, b))
            case (.optDouble(let a), .optDouble(let b)): return .optDouble(result(sign, a, b))
            default: return nil
            }
        }
    }

    private func result<T: AddableType>(
        _ sign: QueryFuzz.Arithmetic, _ a: Query<T>, _ b: Query<T>
    ) -> Query<T> {
        switch sign {
        case .plus: a + b
        case .minus: a - b
        case .times: a * b
        case .dividedBy: a / b
        }
    }

    private func result<T: AddableType>(_ sign: QueryFuzz.Arithmetic, _ a: T, _ b: Query<T>) -> Query<T> {
        switch sign {
        case .plus: a + b
        case .minus: a - b
        case .times: a * b
        case .dividedBy: a / b
        }
    }

    private func result<T: AddableType>(_ sign: QueryFuzz.Arithmetic, _ a: Query<T>, _ b: T) -> Query<T> {
        switch sign {
        case .plus: a + b
        case .minus: a - b
        case .times: a * b
        case .dividedBy: a / b
        }
    }
}
