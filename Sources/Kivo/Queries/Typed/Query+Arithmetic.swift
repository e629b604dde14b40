/// Arithmetic with numbers in a query, for comparisons:
///
///     tours.where { $0.length * 2 + $0.detour > 10 }
///     tours.where { ($0.end - $0.start) / 2 >= $0.guide.patience }
///
/// An operand without a value gives a result without a value. Integers are divided as in Swift. Numbers never make a condition
/// fail: integer arithmetic saturates. An integer divided by 0 is the largest integer or, if the dividend is negative, the
/// smallest. Floating point numbers divided by 0 are infinite.
extension Query where T: AddableType {
    /// Returns the sum of two numbers.
    public static func + (left: Query, right: Query) -> Query { left.computed(.plus, right) }
    /// Returns the sum of two numbers.
    public static func + (left: Query, right: T) -> Query { left.computed(.plus, constant(right)) }
    /// Returns the sum of two numbers.
    public static func + (left: T, right: Query) -> Query { constant(left).computed(.plus, right) }

    /// Returns the difference of two numbers.
    public static func - (left: Query, right: Query) -> Query { left.computed(.minus, right) }
    /// Returns the difference of two numbers.
    public static func - (left: Query, right: T) -> Query { left.computed(.minus, constant(right)) }
    /// Returns the difference of two numbers.
    public static func - (left: T, right: Query) -> Query { constant(left).computed(.minus, right) }

    /// Returns the product of two numbers.
    public static func * (left: Query, right: Query) -> Query { left.computed(.times, right) }
    /// Returns the product of two numbers.
    public static func * (left: Query, right: T) -> Query { left.computed(.times, constant(right)) }
    /// Returns the product of two numbers.
    public static func * (left: T, right: Query) -> Query { constant(left).computed(.times, right) }

    /// Returns the quotient of two numbers.
    public static func / (left: Query, right: Query) -> Query { left.computed(.dividedBy, right) }
    /// Returns the quotient of two numbers.
    public static func / (left: Query, right: T) -> Query { left.computed(.dividedBy, constant(right)) }
    /// Returns the quotient of two numbers.
    public static func / (left: T, right: Query) -> Query { constant(left).computed(.dividedBy, right) }

    private static func constant(_ value: T) -> Query { Query(.operand(.value(value))) }

    private func computed(_ sign: ArithmeticOperator, _ other: Query) -> Query {
        Query(
            .operand(.computed(operand, sign, other.operand)), collections: collections + other.collections)
    }
}
