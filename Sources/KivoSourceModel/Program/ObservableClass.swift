/// A class that conforms to `KeyValueObservable`, as its sources and those of its superclasses declare it.
package struct ObservableClass {
    package enum Key {
        /// A property with `@Observed`.
        case observed
        /// A computed property that `computedProperties()` names.
        case computed
        /// A stored property without `@Observed`.
        case plain(isLet: Bool)
        /// A computed property that `computedProperties()` does not name.
        case unnamed
    }

    package let declaration: TypeDeclaration
    /// The keys by name.
    package private(set) var keys: [String: Key] = [:]
    /// The type of each property, if the declaration contains one.
    package private(set) var types: [String: TypeSyntax] = [:]
    /// Whether every key of the class is in these sources, and no key is handled by code of the class.
    package private(set) var isComplete = true
    /// The superclass of Foundation, whose properties have names only in `computedProperties()`.
    package private(set) var foundationClass: String?
    /// Whether the class announces changes itself, so that any of its properties may be observed.
    package private(set) var announces = false

    /// Classes of Foundation that exist outside of Apple's platforms and have no keys of their own there.
    private static let foundation: Set<String> = [
        "BlockOperation", "Formatter", "NSObject", "Operation", "Progress", "Stream", "Thread", "URLProtocol",
    ]
    /// The states that every class of operations has by name.
    private static let operationStates = [
        "isAsynchronous", "isCancelled", "isExecuting", "isFinished", "isReady",
    ]
    /// The protocols of observable classes, and the base classes that conform to them.
    private static let protocols: Set<String> = [
        "KeyValueObservable", "KeyValueObservingCustomization", "KeyValueObject", "KeyValueOperation",
    ]

    /// Whether a class can be observed that derives from a class, or conforms to a protocol, that is not in these sources.
    package static func isPlainAncestor(_ name: String) -> Bool {
        foundation.contains(name) || protocols.contains(name) || Program.plainProtocols.contains(name)
            || name == "KeyValueObserver"
    }

    fileprivate init?(_ declaration: TypeDeclaration, _ program: Program) {
        guard declaration.kind == .class, program.conformance(of: declaration, to: Self.protocols) == .yes
        else {
            return nil
        }
        self.declaration = declaration
        var next: TypeDeclaration? = declaration
        for _ in 0..<64 {
            guard let type = next else { break }
            add(type, program)
            next = program.superclass(of: type)
            if next == nil, let first = type.inherited.first,
                let name = program.foreignName(of: first, in: type.outer)
            {
                if !Self.isPlainAncestor(name) { isComplete = false }
                let foundation = name == "KeyValueOperation" ? "Operation" : name
                if Self.foundation.contains(foundation), foundation != "NSObject" {
                    foundationClass = foundation
                }
                if foundation == "Operation" || foundation == "BlockOperation" {
                    for state in Self.operationStates { keys[state] = .computed }
                }
            }
        }
    }

    private mutating func add(_ type: TypeDeclaration, _ program: Program) {
        let parts = program.parts(of: type)
        if parts.contains(where: \.hasConditionalMembers) { isComplete = false }
        let functions = parts.flatMap(\.functions)
        var named: Set<String> = []
        for function in functions {
            switch function.name {
            case "computedProperties":
                guard let names = function.returnedKeys else {
                    isComplete = false
                    continue
                }
                named.formUnion(names)
            case "value", "setValue": isComplete = false
            default: break
            }
        }
        let source = type.source
        let tokens = source.tokenIndex(from: type.range.start)..<source.tokenIndex(from: type.range.end)
        announces =
            announces
            || tokens.contains {
                source.matches($0, "willChangeValue") || source.matches($0, "didChangeValue")
            }
        for property in parts.flatMap(\.properties) where !property.isStatic && keys[property.name] == nil {
            types[property.name] = property.type
            keys[property.name] =
                if property.isObserved {
                    .observed
                } else if property.isComputed {
                    .unnamed
                } else {
                    .plain(isLet: property.isLet)
                }
        }
        for name in named { keys[name] = .computed }
    }
}

extension Program {
    /// Returns the description of a class, or nil if it does not conform to `KeyValueObservable`.
    package func observableClass(of type: TypeDeclaration) -> ObservableClass? { ObservableClass(type, self) }

    /// Returns a type with its extensions.
    package func parts(of type: TypeDeclaration) -> [TypeDeclaration] {
        (types[type.qualifiedName] ?? [type]) + (extensions[type.qualifiedName] ?? [])
    }
}

extension FunctionDeclaration {
    /// The keys of the dictionary literal that the function returns, or merges into that of its superclass; nil for other code.
    fileprivate var returnedKeys: [String]? {
        guard let returned else { return nil }
        var pairs: [(key: Expression, value: Expression)]?
        returned.forEach { part in
            if case .dictionary(let found) = part, pairs == nil { pairs = found }
        }
        guard let names = pairs?.map(\.key.literal) else { return nil }
        return names.contains(nil) ? nil : names.compactMap { $0 }
    }
}
