import KivoSourceModel

/// The plan for rewriting one class.
final class ClassPlan {
    enum Origin { case realm, cocoa }

    /// The plan for one property.
    struct Property {
        enum Decision {
            /// The property gets `@Persisted`, with arguments.
            case persisted(String)
            case ignored
            case observed
            /// The property loses `@objc dynamic`, and gets no wrapper.
            case plain
        }

        var declaration: PropertyDeclaration
        /// The extension that declares the property, or nil if the class itself does.
        var part: TypeDeclaration?
        var decision: Decision
        /// The new type and default value, if they change: `: Int? = 5`.
        var suffix: String?
        var isBox = false
        /// Whether the setter of a computed property has to announce the change, as Cocoa's did.
        var isBracketed = false
    }

    /// A member by whose name Cocoa finds a rule of one key: `keyPathsForValuesAffectingTitle`.
    struct Rule {
        enum Kind: CaseIterable { case dependencies, automatic }

        var kind: Kind
        var key: String
        /// The class or the extension that declares the member.
        var part: TypeDeclaration
        /// The member, with parentheses if it is a function.
        var call: String
        var nameOffset: Int
        var attributes: [AttributeDeclaration]
        /// The range from the member's first attribute to the end of its code.
        var range: Range<Int>
        /// The returned expression, if the member has no other code.
        var returned: Expression?
        /// Whether the member overrides that of a superclass, which the rule there calls.
        var isOverride: Bool
    }

    let type: TypeDeclaration
    let origin: Origin
    var properties: [Property] = []
    /// The protocols to which the class is to conform.
    var conformances: [String] = []
    /// Whether the first of ``conformances`` replaces the superclass.
    var losesSuperclass = false
    /// The base class of Kivo that replaces the superclass, or nil if there is none.
    var base: String?
    /// The global actor of the class, to which its conformances are isolated.
    var actor: String?
    var rules: [Rule] = []
    /// Whether the class overrides the rules of a superclass.
    var overridesRules = false
    /// Functions whose `override` is removed, because a protocol requires them instead of `NSObject`.
    var requirements: [FunctionDeclaration] = []
    /// Declarations that the class needs so that subclasses can override them.
    var overridable: [String] = []
    /// Functions that the wrappers replace.
    var removedFunctions: [FunctionDeclaration] = []
    /// Properties that are observed by name without a wrapper, and whether a superclass names its own.
    var computed: [String] = []
    var mergesComputed = false
    /// The name of the class in files, or nil if it is the name of the Swift class.
    var storedName: String?
    var leftOvers: [Diagnostic] = []
    /// The reasons for leaving the class unchanged.
    var obstacles: [Diagnostic] = []

    init(_ type: TypeDeclaration, _ origin: Origin) {
        self.type = type
        self.origin = origin
    }

    var isAdopted: Bool { obstacles.isEmpty }

    /// Whether the rewritten class names declarations of Kivo that it did not name before.
    var needsImport: Bool {
        origin == .cocoa && !(properties.isEmpty && conformances.isEmpty && base == nil)
    }

    func leave(_ offset: Int, _ message: String) { leave(type.source, offset, message) }

    func leave(_ source: SourceText, _ offset: Int, _ message: String) {
        leftOvers.append(Diagnostic(.warning, source.location(of: offset), message))
    }

    func obstruct(_ offset: Int, _ message: String) {
        obstacles.append(Diagnostic(.warning, type.source.location(of: offset), message))
    }
}
