/// Classes in brackets.
extension PatternParser {
    /// Parses `:name:]` or `:^name:]`. Returns nil, and reads nothing, if a colon and a bracket do not end the name.
    mutating func posixClass() throws(PatternError) -> ScalarSet? {
        guard isNext(":") else { return nil }
        let start = position
        position += 1
        let isNegated = accept("^")
        let nameStart = position
        let isPart: (Character) -> Bool = { !":=[]}\\".contains($0) }
        _ = accept(while: isPart)
        if accept("=") { _ = accept(while: isPart) }
        guard isNext(":]") else {
            position = start
            return nil
        }
        position = nameStart
        let set = try property(at: start - 1)
        try expect(":]")
        return isNegated ? set.complement : set
    }

    /// Parses a class after its opening bracket. Operators have the same precedence and are left-associative.
    mutating func characterClass() throws(PatternError) -> ScalarSet {
        try nested { parser throws(PatternError) in
            let isNegated = parser.accept("^")
            var set = try parser.members()
            while true {
                if parser.accept("&&") {
                    set = set.intersection(try parser.members())
                } else if parser.accept("--") {
                    set = set.subtracting(try parser.members())
                } else if parser.accept("~~") {
                    set = set.symmetricDifference(try parser.members())
                } else {
                    break
                }
            }
            try parser.expect("]")
            return isNegated ? set.complement : set
        }
    }

    private var isAtOperator: Bool { isNext("&&") || isNext("--") || isNext("~~") }
    private var isAtEndOfMembers: Bool { peek == nil || peek == "]" || isAtOperator }

    private mutating func members() throws(PatternError) -> ScalarSet {
        let start = position
        var set = ScalarSet()
        // One sort at the end costs less than a merge for each range.
        var ranges: [ClosedRange<UInt32>] = []
        var isEmpty = true
        while !isAtEndOfMembers {
            if skipTrivia() { continue }
            isEmpty = false
            if accept("\\Q") {
                let scalars = quotation()
                if scalars.isEmpty { throw malformed("an empty quotation in a class", at: start) }
                ranges += scalars.map { $0.value...$0.value }
                while skipTrivia() {}
                var following = self
                if !isAtOperator, following.accept("-"), !following.isAtEndOfMembers {
                    throw malformed("a range needs a single scalar on each side", at: position)
                }
                continue
            }
            let begin = position
            let lower = try member()
            while skipTrivia() {}
            if peek == "-", !isAtOperator {
                let dash = position
                position += 1
                while skipTrivia() {}
                if !isAtEndOfMembers {
                    ranges.append(try range(from: lower, at: begin))
                    continue
                }
                // A hyphen at the end stands for itself.
                position = dash
            }
            switch lower {
            case .literal(let scalars): ranges += scalars.map { $0.value...$0.value }
            case .set(let other): set = set.union(other)
            case .node: break
            }
        }
        if isEmpty { throw malformed("a class without members", at: start) }
        return set.union(folded(ScalarSet(ranges)))
    }

    private mutating func member() throws(PatternError) -> Atom {
        guard accept("[") else { return try atom(inClass: true) }
        if let set = try posixClass() { return .set(set) }
        return .set(try characterClass())
    }

    /// Parses the end of a range after its hyphen.
    private mutating func range(from lower: Atom, at begin: Int) throws(PatternError) -> ClosedRange<UInt32> {
        guard !isNext("\\Q"), case .literal(let lower) = lower, case .literal(let upper) = try member(),
            lower.count == 1, upper.count == 1
        else { throw malformed("a range needs a single scalar on each side", at: begin) }
        guard lower[0] <= upper[0] else { throw malformed("a range that ends before it begins", at: begin) }
        var following = self
        while following.skipTrivia() {}
        if following.accept("-"), following.accept("["), try following.posixClass() == nil {
            throw malformed("subtraction is written with '--'", at: following.position - 2)
        }
        return lower[0].value...upper[0].value
    }
}
