import KivoSourceModel

/// Checks of a target's sources for errors that Kivo would otherwise report at run time, or that the compiler reports with
/// unhelpful messages.
///
/// Only certain problems are errors. Code that depends on declarations outside these sources is not checked.
struct ModelChecks {
    let program: Program
    private(set) var diagnostics: [Diagnostic] = []

    /// Returns all diagnostics of a program's own files, in the order of their places.
    static func diagnostics(of program: Program) -> [Diagnostic] {
        var checks = ModelChecks(program: program)
        for file in program.files {
            for type in file.types { checks.checkType(type) }
        }
        checks.checkClassNames()
        let keyPaths = KeyPathChecks(program: program).diagnostics()
        let tokens = TokenChecks(program: program).diagnostics()
        return Set(checks.diagnostics + keyPaths + tokens).sorted {
            ($0.location, $0.severity.rawValue, $0.message) < ($1.location, $1.severity.rawValue, $1.message)
        }
    }

    init(program: Program) { self.program = program }

    mutating func report(
        _ source: SourceText, _ offset: Int, _ message: String, as severity: Diagnostic.Severity = .error
    ) {
        diagnostics.append(Diagnostic(severity, source.location(of: offset), message))
    }

    mutating func report(_ property: ModelProperty, _ message: String) {
        diagnostics.append(Diagnostic(.error, property.location, message))
    }

    private mutating func checkType(_ type: TypeDeclaration) {
        checkIsolation(of: type)
        for property in type.properties {
            checkPropertyObserver(of: property, in: type)
            guard let persisted = property.persisted else { continue }
            checkDeclaration(of: property, persisted, in: type)
        }
        guard let model = program.model(of: type) else { return }
        for property in model.properties { checkType(of: property) }
        checkPlainVariables(model)
        checkPrimaryKeys(model)
        checkNames(model)
        for property in model.properties where property.type.collection == .inverse {
            checkOrigin(of: property)
        }
    }

    /// Checks a wrapped property as far as possible without knowing its type.
    private mutating func checkDeclaration(
        of property: PropertyDeclaration, _ persisted: AttributeDeclaration, in type: TypeDeclaration
    ) {
        let name = "\(type.name).\(property.name)"
        if property.isLet {
            report(
                type.source, property.keyword,
                "'@Persisted' property '\(name)' is a 'let', which can never be set: declare it 'var'")
        }
        if property.isStatic {
            report(
                type.source, property.nameOffset,
                "'@Persisted' property '\(name)' is static, and only objects are stored: remove 'static' or '@Persisted'"
            )
        }
        if property.isComputed {
            report(
                type.source, property.nameOffset,
                "'@Persisted' property '\(name)' is computed: remove '@Persisted', or the accessors")
        }
        if property.attribute("lazy") != nil {
            report(
                type.source, property.nameOffset,
                "'@Persisted' property '\(name)' is lazy: remove 'lazy'; collections are made when they are first used"
            )
        }
        let isElsewhere: Bool =
            switch type.kind {
            case .struct, .enum, .actor: true
            case .class: program.model(of: type) == nil && !program.hasUnknownSuperclass(type)
            case .protocol, .extension: false
            }
        if isElsewhere {
            report(
                type.source, persisted.range.lowerBound,
                """
                '@Persisted' is for properties of classes derived from Object or EmbeddedObject, and \
                '\(type.qualifiedName)' is none
                """)
        }
    }

    /// Checks for variables without a wrapper, of which a realm stores nothing.
    private mutating func checkPlainVariables(_ model: Model) {
        let type = model.declaration
        if model.hasComputedFunctions { return }
        let exempt = ["Ignored", "weak", "unowned", "lazy", "override"]
        for property in type.properties
        where property.persisted == nil && !property.isLet && !property.isStatic && !property.isComputed
            && !exempt.contains(where: { property.attribute($0) != nil })
            && !model.ignored.contains(property.name)
        {
            let found = program.persistedType(of: property, in: type)
            if found.isOptionalCollection { continue }
            let (name, written) = ("\(model.name).\(property.name)", found.text.isEmpty ? "…" : found.text)
            if found.collection != nil {
                report(
                    type.source, property.nameOffset,
                    """
                    property '\(name)' is a 'var' and has no '@Persisted', so that nothing is stored of what is assigned \
                    to it in a realm: declare it '@Persisted var \(property.name): \(written)', or with 'let'; if that is \
                    meant, declare it '@Ignored'
                    """, as: .warning)
            } else if found.canBeStored, !model.allProperties.isEmpty {
                report(
                    type.source, property.nameOffset,
                    """
                    property '\(name)' is a 'var' and has no '@Persisted', so that it is not stored; if that is meant, \
                    declare it '@Ignored'
                    """, as: .note)
            }
        }
    }

    /// Checks for classes with the same name, which cannot be in one realm.
    private mutating func checkClassNames() {
        var seen: [String: Model] = [:]
        for model in program.ownModels where model.isInDefaultSchema && !model.declaration.isLocal {
            guard model.declaration.conditions.isEmpty else { continue }
            guard let other = seen[model.name] else {
                seen[model.name] = model
                continue
            }
            let location = other.declaration.location
            report(
                model.declaration.source, model.declaration.nameOffset,
                """
                classes '\(other.declaration.qualifiedName)' (\(location.path):\(location.line)) and \
                '\(model.declaration.qualifiedName)' are both stored as '\(model.name)', and one realm cannot hold objects \
                of both: rename one of them
                """, as: .warning)
        }
    }
}
