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
            /// The property loses `@objc dynamic`, and gets no wrapper.
            case plain
        }

        var declaration: PropertyDeclaration
        var decision: Decision
        /// The new type and default value, if they change: `: Int? = 5`.
        var suffix: String?
        var isBox = false
    }

    /// The plan for one initialiser.
    enum Initializer {
        /// `override init()` becomes `required init()`. It calls the superclass's initialiser first, if possible.
        case required(callsSuperFirst: Bool)
        /// A designated initialiser becomes a convenience initialiser, and calls `self.init()` first.
        case convenience
        /// The initialiser stays designated, and calls the superclass's initialiser first.
        case designated
    }

    let type: TypeDeclaration
    let origin: Origin
    var properties: [Property] = []
    var initializers: [(function: FunctionDeclaration, change: Initializer)] = []
    /// Whether the class needs an `init()`, because it has other initialisers.
    var needsPlainInitializer = false
    /// Functions that the wrappers replace.
    var removedFunctions: [FunctionDeclaration] = []
    /// Computed properties that are observed by name.
    var computed: [String] = []
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

    func leave(_ offset: Int, _ message: String) {
        leftOvers.append(Diagnostic(.warning, type.source.location(of: offset), message))
    }

    func obstruct(_ offset: Int, _ message: String) {
        obstacles.append(Diagnostic(.warning, type.source.location(of: offset), message))
    }
}
