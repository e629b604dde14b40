/// A condition: a tree of tests, whose operands lead from a subject to values.
///
/// A subject is a row (``RowPredicate``), a plain value, or an object of the calling layer. ``holds(for:)`` evaluates all of them.
@usableFromInline package indirect enum Predicate<Operand> {
    case constant(Bool)
    case test(Quantifier, Operand, ValueTest)
    case pair(Quantifier, Operand, ValueRelation, Operand)
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)
}

extension Predicate: Sendable where Operand: Sendable {}

/// The number of a subject's values that must satisfy a test.
@usableFromInline package enum Quantifier: CaseIterable, Sendable {
    case any, all, none

    /// Whether the first value that passes decides; false if the first one that does not pass decides.
    @inlinable package var isDecidedByMatch: Bool {
        switch self {
        case .any, .none: true
        case .all: false
        }
    }

    /// Whether a value that decides is enough, so that the test fails without one.
    @inlinable package var requiresDecision: Bool {
        switch self {
        case .any: true
        case .all, .none: false
        }
    }

    /// Whether a subject with one value satisfies the test if that value does not.
    @inlinable package var isNegation: Bool {
        switch self {
        case .none: true
        case .any, .all: false
        }
    }
}

/// A subject of predicates, which reads the values of operands.
@usableFromInline package protocol PredicateSubject {
    /// The operands that lead to the subject's values.
    associatedtype Operand

    /// Calls `body` with each value of an operand until it returns false. Returns false if `body` returned false.
    func forEachValue(of operand: Operand, _ body: (Cell) -> Bool) -> Bool
}

extension Predicate {
    /// Returns whether a subject satisfies the predicate.
    @inlinable
    package func holds<Subject: PredicateSubject>(for subject: Subject) -> Bool
    where Subject.Operand == Operand {
        switch self {
        case .constant(let value): return value
        case .and(let parts): return parts.allSatisfy { $0.holds(for: subject) }
        case .or(let parts): return parts.contains { $0.holds(for: subject) }
        case .not(let part): return !part.holds(for: subject)
        case .test(let quantifier, let operand, let test):
            return quantifier.holds(subject, operand) { test.holds($0) }
        case .pair(let quantifier, let left, let relation, let right):
            // Here a null link counts as null, like any other value.
            return quantifier.holds(subject, left) { a in
                var isMatch = false
                _ = subject.forEachValue(of: right) { b in
                    isMatch = relation.holds(a == .link(0) ? .null : a, b == .link(0) ? .null : b)
                    return !isMatch
                }
                return isMatch
            }
        }
    }

    /// Returns a predicate that holds if all parts hold.
    @usableFromInline package static func all(_ parts: [Predicate]) -> Predicate {
        parts.count == 1 ? parts[0] : .and(parts)
    }
}

extension Quantifier {
    /// Returns whether as many values of an operand pass a test as the quantifier requires.
    @inlinable @inline(__always)
    func holds<Subject: PredicateSubject>(
        _ subject: Subject, _ operand: Subject.Operand, _ test: (Cell) -> Bool
    ) -> Bool {
        let wanted = isDecidedByMatch
        var isDecided = false
        _ = subject.forEachValue(of: operand) { cell in
            isDecided = test(cell) == wanted
            return !isDecided
        }
        return isDecided == requiresDecision
    }
}
