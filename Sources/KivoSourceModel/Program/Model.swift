/// A model class, as its sources declare it.
package final class Model {
    package enum Role: Sendable { case object, embedded, projection }

    package let declaration: TypeDeclaration
    package let role: Role
    /// Whether all of its parts are in these sources, and unconditional.
    package let isComplete: Bool
    package let superclass: Model?
    /// The persisted properties that the class declares itself.
    package internal(set) var properties: [ModelProperty] = []
    /// The name that `primaryKey()` returns, and the function.
    package private(set) var legacyKey: (name: String, function: FunctionDeclaration)?
    package private(set) var legacyIndexed: [String] = []
    package private(set) var ignored: [String] = []
    package private(set) var mapping: [(property: String, column: String, token: Int?)] = []
    package private(set) var mappingFunction: FunctionDeclaration?
    /// Whether functions of the class contain more than can be evaluated here.
    package private(set) var hasComputedFunctions = false
    package private(set) var isInDefaultSchema = true
    private var storedClassName: String?

    init(_ declaration: TypeDeclaration, _ role: Role, isComplete: Bool, superclass: Model?) {
        self.declaration = declaration
        self.role = role
        self.isComplete = isComplete
        self.superclass = superclass
    }

    package var isEmbedded: Bool { role == .embedded }

    /// The name in a realm: the class's own name, without enclosing types, unless it declares another one.
    package var name: String { storedClassName ?? declaration.name }

    /// The persisted properties; those of superclasses come first.
    package var allProperties: [ModelProperty] { (superclass?.allProperties ?? []) + properties }

    package func property(named name: String) -> ModelProperty? {
        properties.first { $0.name == name } ?? superclass?.property(named: name)
    }

    /// Whether the class or a superclass declares a property with a name.
    package func declares(_ name: String) -> Bool {
        declaration.properties.contains { $0.name == name } || (superclass?.declares(name) ?? false)
    }

    package func isOrInherits(_ other: Model) -> Bool {
        self === other || (superclass?.isOrInherits(other) ?? false)
    }

    /// Removes the properties without a wrapper that `ignoredProperties()` names.
    func dropIgnored() {
        properties.removeAll { $0.declaration.persisted == nil && ignored.contains($0.name) }
    }

    /// Reads the class functions that describe its properties.
    func readFunctions(_ functions: [FunctionDeclaration]) {
        for function in functions where function.isStatic && !function.hasParameters {
            switch function.name {
            case "primaryKey":
                if let name = function.returned?.literal { legacyKey = (name, function) }
            case "indexedProperties": legacyIndexed = names(function)
            case "ignoredProperties": ignored = names(function)
            case "shouldIncludeInDefaultSchema":
                if case .bool(let value)? = function.returned { isInDefaultSchema = value }
            case "_realmObjectName": storedClassName = function.returned?.literal ?? storedClassName
            case "propertiesMapping", "_realmColumnNames":
                mappingFunction = function
                guard case .dictionary(let pairs)? = function.returned else {
                    hasComputedFunctions = true
                    continue
                }
                mapping = pairs.compactMap { pair in
                    guard case .string(let name, let token) = pair.key.bare, let column = pair.value.literal
                    else {
                        hasComputedFunctions = true
                        return nil
                    }
                    return (name, column, token)
                }
            default: break
            }
        }
    }

    private func names(_ function: FunctionDeclaration) -> [String] {
        guard let names = function.returned?.literals else {
            hasComputedFunctions = true
            return []
        }
        return names
    }

    /// Returns the name under which a property is stored.
    package func storedName(of property: ModelProperty) -> String {
        mapping.first { $0.property == property.name }?.column ?? superclass?.storedName(of: property)
            ?? property.name
    }
}

/// A persisted property of a model.
package struct ModelProperty {
    package let declaration: PropertyDeclaration
    /// The class that declares it.
    package unowned let model: Model
    package let type: PropertyType

    init(_ declaration: PropertyDeclaration, _ model: Model, _ type: PropertyType) {
        self.declaration = declaration
        self.model = model
        self.type = type
    }

    package var name: String { declaration.name }
    package var location: SourceLocation { model.declaration.source.location(of: declaration.nameOffset) }
    package var isPrimaryKey: Bool { isSaid("primaryKey") || model.legacyKey?.name == name }
    package var isDeclaredPrimaryKey: Bool { isSaid("primaryKey") }
    package var isIndexed: Bool { isSaid("indexed") || model.legacyIndexed.contains(name) }

    private func isSaid(_ label: String) -> Bool {
        guard case .bool(true)? = declaration.persisted?.argument(label)?.bare else { return false }
        return true
    }

    /// The origin property from the wrapper or from `LinkingObjects(fromType:property:)`, and its token.
    package var origin: (name: String, token: Int?)? {
        guard case .string(let name, let token)? = declaration.persisted?.argument("originProperty")?.bare
        else {
            return bareOrigin
        }
        return (name, token)
    }

    private var bareOrigin: (name: String, token: Int?)? {
        guard declaration.persisted == nil, case .call(let call)? = declaration.value?.bare,
            case .string(let name, let token)? =
                call.arguments.first(where: { $0.label == "property" })?.value.bare
        else { return nil }
        return (name, token)
    }
}
