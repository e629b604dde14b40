#if !canImport(Darwin)
import Foundation
import Kivo

extension RealmCollection {
    /// Returns live results with the elements for which a predicate of a format holds; see `filter(_:_:)`.
    ///
    /// - Precondition: The predicate is of a format, or combines such predicates; the collection is managed, and the predicate is
    ///   valid for its elements.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        filter(QueryCondition(predicate))
    }

    /// Returns the position of the first element for which a predicate of a format holds, or nil if there is none. Works for
    /// unmanaged collections too.
    ///
    /// - Complexity: O(*n*).
    /// - Precondition: The predicate is of a format, or combines such predicates, and is valid for the elements.
    public func index(matching predicate: NSPredicate) -> Int? {
        index(matching: QueryCondition(predicate))
    }
}

extension RealmKeyedCollection {
    /// Returns live results with the values for which a predicate of a format holds; see `filter(_:_:)`.
    ///
    /// - Precondition: The predicate is of a format, or combines such predicates; the map is managed, and the predicate is valid
    ///   for its values.
    public func filter(_ predicate: NSPredicate) -> Results<Value> {
        filter(QueryCondition(predicate))
    }
}

extension QueryCondition {
    /// Creates the condition of a predicate. Traps if it is opaque, or if a variable has no value.
    fileprivate init(_ predicate: NSPredicate) {
        switch predicate {
        case let predicate as FormatPredicate: self = predicate.condition
        case let compound as NSCompoundPredicate: self.init(compound)
        default:
            switch (predicate as any HasPredicateFormat).predicateFormat {
            case "TRUEPREDICATE": self.init(true)
            case "FALSEPREDICATE": self.init(false)
            default:
                fatalError(
                    """
                    A predicate of a block cannot filter a collection of a realm: write the condition as \
                    'NSPredicate(format: "age > %@", 5)', or as 'where { $0.age > 5 }'.
                    """)
            }
        }
    }

    private init(_ compound: NSCompoundPredicate) {
        let parts = compound.subpredicates.map { QueryCondition($0) }
        switch compound.compoundPredicateType {
        case .and: self = parts.dropFirst().reduce(parts.first ?? QueryCondition(true)) { $0.and($1) }
        case .or: self = parts.dropFirst().reduce(parts.first ?? QueryCondition(false)) { $0.or($1) }
        case .not:
            guard let part = parts.first else { fatalError("'NOT' of no predicate has no meaning.") }
            self = part.negated
        }
    }
}

/// Access to a property that Foundation deprecates, to distinguish constant predicates from those of a block.
private protocol HasPredicateFormat {
    var predicateFormat: String { get }
}

extension NSPredicate: HasPredicateFormat {}
#endif
