#if !canImport(Darwin)
import Foundation
import Kivo

/// The initialisers of predicates by a format, which Foundation has on Apple's platforms only.
///
///     let predicate = NSPredicate(format: "age > %d AND name BEGINSWITH[c] %@", 5, "r")
///     let dogs = realm.objects(Dog.self).filter(predicate)
///
/// The language is that of `RealmCollection.filter(_:_:)`. Variables, such as `$name`, get their values by
/// `withSubstitutionVariables(_:)` or when an object is evaluated. `evaluate(with:)` takes objects of Realm's classes, managed or
/// not. `NSCompoundPredicate` combines such predicates. Predicates of a block cannot filter collections of a realm.
///
/// A protocol declares these initialisers because only its extensions can return another class than the one they are called on.
/// `NSPredicate` is the only class that conforms.
public protocol FormattablePredicate {}

extension NSPredicate: FormattablePredicate {}

extension FormattablePredicate where Self: NSPredicate {
    /// Creates a predicate of a format and the arguments for its placeholders: `%@` for values, `%K` for key paths, `%d`, `%i`,
    /// `%u`, `%ld`, `%lld`, `%f`, `%lf` and the like for numbers.
    ///
    /// - Precondition: The format is well-formed, and has as many placeholders as there are arguments.
    public init(format: String, _ arguments: Any?...) {
        self = Self.predicate(format, arguments.map { $0 ?? NSNull() })
    }

    /// Creates a predicate of a format and the arguments for its placeholders.
    ///
    /// - Precondition: The format is well-formed, and has as many placeholders as there are arguments.
    public init(format: String, argumentArray arguments: [Any]?) {
        self = Self.predicate(format, arguments ?? [])
    }

    /// Creates a predicate of a format and a list of C arguments, which can only be numbers.
    ///
    /// - Precondition: The format is well-formed, has the placeholders for these arguments, and no other ones.
    public init(format: String, arguments: CVaListPointer) {
        self = Self.predicate(PredicateText.inserting(arguments, into: format), [])
    }

    /// Returns a copy of the predicate in which variables, such as `$name`, have values. The variables of a compound predicate are
    /// those of its parts.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let substituted: NSPredicate =
            switch self as NSPredicate {
            case let predicate as FormatPredicate: predicate.substituting(variables)
            case let compound as NSCompoundPredicate:
                NSCompoundPredicate(
                    type: compound.compoundPredicateType,
                    subpredicates: compound.subpredicates.map { $0.withSubstitutionVariables(variables) })
            default: self
            }
        return unsafeDowncast(substituted, to: Self.self)
    }

    private static func predicate(_ format: String, _ arguments: [Any]) -> Self {
        // A subclass, such as `NSCompoundPredicate`, has initialisers of its own, and no format.
        guard Self.self == NSPredicate.self else {
            fatalError("'\(Self.self)' cannot be created by a format: create an 'NSPredicate'.")
        }
        return unsafeDowncast(FormatPredicate(format, arguments), to: Self.self)
    }
}
#endif
