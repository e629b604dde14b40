import KivoSourceModel

/// What becomes of one class.
final class ClassPlan {
    enum Origin { case realm, cocoa }

    /// What becomes of one property.
    struct Property {
        enum Decision {
            /// `@Persisted`, with arguments.
            case persisted(String)
            case ignored
            /// Without `@objc dynamic` and without a wrapper.
            case plain
        }

        var declaration: PropertyDeclaration
        var decision: Decision
        /// The type and the default value to be written, if they change: `: Int? = 5`.
        var suffix: String?
        var isBox = false
    }

    /// What becomes of one initialiser.
    enum Initializer {
        /// `override init()` is `required init()`, and calls the superclass's first, if nothing speaks against it.
        case required(callsSuperFirst: Bool)
        /// What took part in initialising the object is convenience, and calls `self.init()` first.
        case convenience
        /// The superclass's is called first.
        case designated
    }

    let type: TypeDeclaration
    let origin: Origin
    var properties: [Property] = []
    var initializers: [(function: FunctionDeclaration, change: Initializer)] = []
    /// Whether the class needs an `init()`, since it has others.
    var needsPlainInitializer = false
    /// Functions that the wrappers replace.
    var removedFunctions: [FunctionDeclaration] = []
    /// Computed properties that are observed by name.
    var computed: [String] = []
    /// The name that the class has in files, if it is not its own.
    var storedName: String?
    var leftOvers: [Diagnostic] = []
    /// Why the class is left as it is.
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
