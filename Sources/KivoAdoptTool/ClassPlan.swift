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
        var decision: Decision
        /// The new type and default value, if they change: `: Int? = 5`.
        var suffix: String?
        var isBox = false
    }

    let type: TypeDeclaration
    let origin: Origin
    var properties: [Property] = []
    /// The protocols to which the class is to conform.
    var conformances: [String] = []
    /// Whether the first of ``conformances`` replaces the superclass.
    var losesSuperclass = false
    /// Functions whose `override` is removed, because a protocol requires them instead of `NSObject`.
    var requirements: [FunctionDeclaration] = []
    /// Declarations that the class needs so that subclasses can override them.
    var overridable: [String] = []
    /// Functions that the wrappers replace.
    var removedFunctions: [FunctionDeclaration] = []
    /// Computed properties that are observed by name, and whether a superclass names its own.
    var computed: [String] = []
    var overridesComputed = false
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
    var needsImport: Bool { origin == .cocoa && !(properties.isEmpty && conformances.isEmpty) }

    func leave(_ offset: Int, _ message: String) {
        leftOvers.append(Diagnostic(.warning, type.source.location(of: offset), message))
    }

    func obstruct(_ offset: Int, _ message: String) {
        obstacles.append(Diagnostic(.warning, type.source.location(of: offset), message))
    }
}
