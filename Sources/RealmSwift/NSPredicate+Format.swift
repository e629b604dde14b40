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
    /// `%u`, `%ld`, `%lld`, `%f`, `%lf` and the like for numbers. `%%` is the string of a percent sign.
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

/// The predicate of a format. It is a class of its own because `NSPredicate` holds formats on Apple's platforms only.
final class FormatPredicate: NSPredicate {
    private let format: String
    /// The arguments; `NSNull` for nil.
    private let arguments: [Any]
    /// The values of the variables that were substituted.
    private let substitutes: [String: Any]
    /// The condition, in which ``unsubstituted`` variables are nil.
    private let parsed: QueryCondition
    private let unsubstituted: Set<String>

    init(_ format: String, _ arguments: [Any], _ substitutes: [String: Any] = [:]) {
        self.format = format
        self.arguments = arguments
        self.substitutes = substitutes
        var unsubstituted: Set<String> = []
        parsed = QueryCondition(
            format, arguments: arguments, substituting: substitutes, unsubstituted: &unsubstituted)
        self.unsubstituted = unsubstituted
        super.init(value: false)
    }

    required init?(coder: NSCoder) {
        fatalError("A predicate of a format cannot be decoded: create it again.")
    }

    /// The condition. Traps if a variable has no value.
    var condition: QueryCondition {
        if let name = unsubstituted.min() {
            fatalError(
                "The variable '$\(name)' of the predicate \"\(format)\" has no value: call 'withSubstitutionVariables'."
            )
        }
        return parsed
    }

    /// Returns this predicate with the values of variables.
    func substituting(_ variables: [String: Any]) -> FormatPredicate {
        FormatPredicate(format, arguments, substitutes.merging(variables) { _, new in new })
    }

    override func evaluate(with object: Any?, substitutionVariables variables: [String: Any]?) -> Bool {
        guard let object else { return false }
        guard let object = object as? ObjectBase else {
            fatalError(
                "The predicate \"\(format)\" is evaluated for a value of type '\(type(of: object))': it takes objects of Realm's classes."
            )
        }
        let predicate = variables.map(substituting) ?? self
        return predicate.condition.holds(for: object)
    }

    /// The format with the arguments in place of their placeholders.
    private var text: String { PredicateText.inserting(arguments, into: format) }

    override var predicateFormat: String { text }

    override var description: String { text }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ other: Any?) -> Bool {
        guard let other = other as? FormatPredicate else { return false }
        return parsed == other.parsed && unsubstituted == other.unsubstituted
    }

    /// Equal conditions can be written in several ways, so all hashes are equal.
    override var hash: Int { 0 }
}

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
