/// Parses predicate strings: `results.filter("age > %@ AND name BEGINSWITH[c] 'R'", 5)`.
///
/// The parser knows no classes. ``QueryCompiler`` checks whether the properties exist and can be compared.
struct PredicateParser {
    let format: String
    let arguments: [Any?]
    let tokens: [PredicateToken]
    private(set) var index = 0
    /// The number of arguments that the placeholders took so far.
    var usedArguments = 0
    /// The highest number of a numbered argument, plus one.
    var numberedArguments = 0
    /// The variables of the enclosing subqueries, outermost first.
    var variables: [String] = []
    /// The values of the variables that belong to no subquery.
    var substitutes: [String: Any] = [:]
    /// Whether such a variable can be without a value, which is substituted later.
    var takesVariables = false
    /// The variables without a value.
    var unsubstituted: Set<String> = []
    /// The position of the parenthesis that closes the one at each position, or 0.
    private let closings: [Int]

    /// Returns the condition that a format and its arguments describe.
    static func parse(_ format: String, _ arguments: [Any?]) throws(PredicateSyntaxError) -> QueryNode {
        var parser = try PredicateParser(format, arguments)
        return try parser.whole()
    }

    /// Returns the condition that a format and its arguments describe, and the number in `LIMIT(5)` at its end, if there is one.
    static func parseFilter(
        _ format: String, _ arguments: [Any?]
    ) throws(PredicateSyntaxError) -> (condition: QueryNode, limit: Int?) {
        var parser = try PredicateParser(format, arguments)
        let node = try parser.condition().node
        let limit = try parser.limit()
        if limit != nil, parser.current.kind != .end { throw parser.unexpected(expected: "the end") }
        try parser.checkEnd()
        return (node, limit)
    }

    /// Returns the condition that a format with variables describes, and the variables for which there is no value. These are nil
    /// in the condition.
    static func parse(
        _ format: String, _ arguments: [Any?], substituting substitutes: [String: Any]
    ) throws(PredicateSyntaxError) -> (QueryNode, unsubstituted: Set<String>) {
        var parser = try PredicateParser(format, arguments)
        parser.substitutes = substitutes
        parser.takesVariables = true
        return (try parser.whole(), parser.unsubstituted)
    }

    private mutating func whole() throws(PredicateSyntaxError) -> QueryNode {
        let node = try condition().node
        try checkEnd()
        return node
    }

    private mutating func limit() throws(PredicateSyntaxError) -> Int? {
        guard case .word(let word) = current.kind, word.lowercased() == "limit", following.kind == .sign("(")
        else { return nil }
        advance()
        advance()
        let token = current
        let value = if let literal = literal() { literal.value } else { try argument()?.value }
        guard let limit = value.flatMap({ plainlyConverted($0, to: Int.self) }), limit >= 0 else {
            throw refusal("LIMIT takes a number of elements, not '\(token.text)'", at: token)
        }
        try expect(")")
        return limit
    }

    private init(_ format: String, _ arguments: [Any?]) throws(PredicateSyntaxError) {
        self.format = format
        self.arguments = arguments
        tokens = try PredicateLexer.tokens(of: format)
        closings = Self.closings(tokens)
    }

    private static func closings(_ tokens: [PredicateToken]) -> [Int] {
        var closings = Array(repeating: 0, count: tokens.count)
        var open: [Int] = []
        for (position, token) in tokens.enumerated() {
            if token.kind == .sign("(") { open.append(position) }
            if token.kind == .sign(")"), let opening = open.popLast() { closings[opening] = position }
        }
        return closings
    }

    /// Parses a condition, up to the first token that is not part of it.
    mutating func condition() throws(PredicateSyntaxError) -> ConditionStack.Item {
        var conditions = ConditionStack()
        while true {
            var isNegated = false
            while accept(keyword: "not") || accept("!") { isNegated.toggle() }
            if !beginsOperand, accept("(") {
                conditions.open(isNegated: isNegated)
                continue
            }
            conditions.append(try simpleCondition(), isNegated: isNegated)
            while !acceptConnective(&conditions) {
                guard conditions.isNested else {
                    let condition = conditions.result()
                    try checkHeight(condition.height)
                    return condition
                }
                try expect(")", or: "AND or OR")
                conditions.close()
                try checkHeight(conditions.height)
            }
        }
    }

    private mutating func acceptConnective(_ conditions: inout ConditionStack) -> Bool {
        if accept(keyword: "and") || accept("&&") {
            conditions.and()
        } else if accept(keyword: "or") || accept("||") {
            conditions.or()
        } else {
            return false
        }
        return true
    }

    private mutating func simpleCondition() throws(PredicateSyntaxError) -> ConditionStack.Item {
        if accept(keyword: "truepredicate") { return ConditionStack.Item(node: .constant(true), height: 0) }
        if accept(keyword: "falsepredicate") { return ConditionStack.Item(node: .constant(false), height: 0) }
        return try comparison()
    }

    /// The largest height of a condition or an operand. Conditions are evaluated recursively, also on threads with a small stack.
    static let maximumHeight = 150

    /// Throws if a condition or an operand is higher than allowed.
    func checkHeight(_ height: Int) throws(PredicateSyntaxError) {
        if height > Self.maximumHeight { throw nestedTooDeeply() }
    }

    func nestedTooDeeply() -> PredicateSyntaxError {
        refusal("The predicate is nested too deeply", at: current)
    }

    private mutating func checkEnd() throws(PredicateSyntaxError) {
        if case .word(let word) = current.kind, following.kind == .sign("(") {
            try refuseOrdering(word)
        }
        guard current.kind == .end else { throw unexpected(expected: "AND, OR or the end") }
        let needed = max(usedArguments, numberedArguments)
        guard arguments.count <= needed else {
            let takes = needed == 1 ? "1 argument" : "\(needed) arguments"
            throw refusal(
                "Too many arguments: the predicate takes \(takes), not \(arguments.count)", at: current)
        }
    }
}

extension PredicateParser {
    var current: PredicateToken { tokens[index] }
    var following: PredicateToken { tokens[min(index + 1, tokens.count - 1)] }

    /// The token after the parenthesis that closes the next one; nil if the next token opens none, or if it is never closed.
    var tokenAfterParentheses: PredicateToken? {
        closings[index] == 0 ? nil : tokens[closings[index] + 1]
    }

    mutating func advance() { index = min(index + 1, tokens.count - 1) }

    /// Consumes the next token if it is a sign, and returns whether it was.
    mutating func accept(_ sign: String) -> Bool {
        guard current.kind == .sign(sign) else { return false }
        advance()
        return true
    }

    /// Consumes the next token if it is a keyword, given in lower case, and returns whether it was.
    mutating func accept(keyword: String) -> Bool {
        guard case .word(let word) = current.kind, word.lowercased() == keyword else { return false }
        advance()
        return true
    }

    mutating func expect(_ sign: String, or other: String? = nil) throws(PredicateSyntaxError) {
        guard accept(sign) else {
            throw unexpected(expected: (other.map { "\($0), or " } ?? "") + "'\(sign)'")
        }
    }

    /// Returns an error for the next token, which cannot follow the previous one.
    func unexpected(expected: String) -> PredicateSyntaxError {
        let context = index > 0 ? " after '\(tokens[index - 1].text)'" : ""
        let found = current.kind == .end ? "the end" : "'\(current.text)'"
        return PredicateSyntaxError(
            .unexpected(expected: expected + context, found: found), atScalar: current.offset, of: format)
    }

    /// Returns an error for a token that cannot be used, with the reason as a sentence.
    func refusal(_ reason: String, at token: PredicateToken) -> PredicateSyntaxError {
        PredicateSyntaxError(.refused(reason), atScalar: token.offset, of: format)
    }

    /// Throws for the clauses that Realm's own query language allows after a condition.
    func refuseOrdering(_ word: String) throws(PredicateSyntaxError) {
        let instead: String
        switch word.lowercased() {
        case "sort": instead = "sorted(by:)"
        case "distinct": instead = "distinct(by:)"
        case "limit": instead = "first(_:), behind sorted(by:) or distinct(by:) if there are any,"
        default: return
        }
        throw refusal(
            "\(word.uppercased()) is no part of a condition; call \(instead) on the results instead",
            at: current)
    }
}

/// Shapes in predicate strings: `geoBox([lng, lat], [lng, lat])`, `geoCircle([lng, lat], radians)`, `geoPolygon({[lng, lat], …},
/// {…})`. The first ring of a polygon is the outer one; the others are holes.
extension PredicateParser {
    /// Parses a shape that is written in the format or is an argument.
    mutating func shape() throws(PredicateSyntaxError) -> any RLMGeospatial {
        let token = current
        if let argument = try argument() {
            guard let shape = argument.value as? any RLMGeospatial else {
                throw refusal(
                    """
                    GEOWITHIN takes a GeoBox, a GeoCircle or a GeoPolygon, not \
                    \(Self.description(of: argument.value))
                    """, at: token)
            }
            return shape
        }
        guard case .word(let word) = token.kind, following.kind == .sign("(") else {
            throw unexpected(expected: "a shape")
        }
        let parse: (inout PredicateParser) throws(PredicateSyntaxError) -> (any RLMGeospatial)?
        switch word.lowercased() {
        case "geobox":
            parse = { parser throws(PredicateSyntaxError) in
                let bottomLeft = try parser.point()
                try parser.expect(",")
                return GeoBox(bottomLeft: bottomLeft, topRight: try parser.point())
            }
        case "geocircle":
            parse = { parser throws(PredicateSyntaxError) in
                let center = try parser.point()
                try parser.expect(",")
                return GeoCircle(center: center, radiusInRadians: try parser.coordinate())
            }
        case "geopolygon":
            parse = { parser throws(PredicateSyntaxError) in
                var rings = [try parser.ring()]
                while parser.accept(",") { rings.append(try parser.ring()) }
                return GeoPolygon(outerRing: rings[0], holes: rings.count > 1 ? Array(rings[1...]) : nil)
            }
        default: throw unexpected(expected: "geoBox, geoCircle or geoPolygon")
        }
        advance()
        try expect("(")
        guard let shape = try parse(&self) else {
            throw refusal(
                word.lowercased() == "geocircle"
                    ? "The radius of a circle is a number of radians that is not negative"
                    : "A ring of a polygon has at least four points, of which the first and the last are the same",
                at: token)
        }
        try expect(")", or: "','")
        return shape
    }

    private mutating func ring() throws(PredicateSyntaxError) -> [GeoPoint] {
        try expect("{")
        var points = [try point()]
        while accept(",") { points.append(try point()) }
        try expect("}", or: "','")
        return points
    }

    private mutating func point() throws(PredicateSyntaxError) -> GeoPoint {
        let token = current
        try expect("[")
        let longitude = try coordinate()
        try expect(",")
        let latitude = try coordinate()
        let altitude = accept(",") ? try coordinate() : 0
        try expect("]")
        guard let point = GeoPoint(latitude: latitude, longitude: longitude, altitude: altitude) else {
            throw refusal(
                """
                A point is a longitude from -180 to 180 and a latitude from -90 to 90, not \
                [\(longitude), \(latitude)]
                """, at: token)
        }
        return point
    }

    private mutating func coordinate() throws(PredicateSyntaxError) -> Double {
        let token = current
        guard case .value(let value) = try operand().operand, let value,
            let number = floatingPoint(value)
        else { throw refusal("A coordinate is a number", at: token) }
        return number
    }
}
