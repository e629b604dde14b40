#if !canImport(Darwin)
import Foundation
import Kivo

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
#endif
