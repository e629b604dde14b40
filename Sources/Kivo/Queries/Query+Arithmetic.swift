/// Arithmetic with numbers that a query names, to be compared:
///
///     tours.where { $0.length * 2 + $0.detour > 10 }
///     tours.where { ($0.end - $0.start) / 2 >= $0.guide.patience }
///
/// A number without a value makes a result without one. Integers are divided as Swift divides them; a condition does not
/// fail over a number: what is too large for an integer is the largest there is, and an integer by 0 the largest or, if
/// it is negative, the smallest. Floating point numbers by 0 are infinite.
extension Query where T: AddableType {
    /// The sum of two numbers.
    public static func + (left: Query, right: Query) -> Query { left.computed(.plus, right) }
    /// The sum of two numbers.
    public static func + (left: Query, right: T) -> Query { left.computed(.plus, constant(right)) }
    /// The sum of two numbers.
    public static func + (left: T, right: Query) -> Query { constant(left).computed(.plus, right) }

    /// The difference of two numbers.
    public static func - (left: Query, right: Query) -> Query { left.computed(.minus, right) }
    /// The difference of two numbers.
    public static func - (left: Query, right: T) -> Query { left.computed(.minus, constant(right)) }
    /// The difference of two numbers.
    public static func - (left: T, right: Query) -> Query { constant(left).computed(.minus, right) }

    /// The product of two numbers.
    public static func * (left: Query, right: Query) -> Query { left.computed(.times, right) }
    /// The product of two numbers.
    public static func * (left: Query, right: T) -> Query { left.computed(.times, constant(right)) }
    /// The product of two numbers.
    public static func * (left: T, right: Query) -> Query { constant(left).computed(.times, right) }

    /// The quotient of two numbers.
    public static func / (left: Query, right: Query) -> Query { left.computed(.dividedBy, right) }
    /// The quotient of two numbers.
    public static func / (left: Query, right: T) -> Query { left.computed(.dividedBy, constant(right)) }
    /// The quotient of two numbers.
    public static func / (left: T, right: Query) -> Query { constant(left).computed(.dividedBy, right) }

    private static func constant(_ value: T) -> Query { Query(.operand(.value(value))) }

    private func computed(_ sign: ArithmeticOperator, _ other: Query) -> Query {
        Query(
            .operand(.computed(operand, sign, other.operand)), collections: collections + other.collections)
    }
}
