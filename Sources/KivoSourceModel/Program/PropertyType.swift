/// The type of a persisted property, as far as the sources define it.
package struct PropertyType {
    package enum Collection: String {
        case list = "List"
        case set = "MutableSet"
        case map = "Map"
        case inverse = "LinkingObjects"
    }

    package indirect enum Value {
        /// One of Kivo's own types.
        case scalar(ScalarName)
        case anyValue
        /// An enum, with the name of its raw type if it declares one.
        case enumeration(TypeDeclaration, raw: String?)
        /// A type that is mapped to another one.
        case custom(String)
        case model(Model)
        /// A type that cannot be stored, with advice if there is any.
        case unsupported(advice: String?)
        /// A type that these sources do not define.
        case unknown
    }

    package var collection: Collection?
    /// Whether the value, or an element, can be nil.
    package var isOptional = false
    /// Whether a collection itself is written as optional.
    package var isOptionalCollection = false
    /// The key type of a map, if it is not `String`.
    package var foreignKey: String?
    package var value: Value
    /// The type as it is written, if the declaration contains one.
    package var text: String
    /// The type of the value or element, as it is written, without `?`.
    package var valueText: String

    package var model: Model? {
        guard case .model(let model) = value else { return nil }
        return model
    }

    /// Whether a realm can store a value of the type.
    package var canBeStored: Bool {
        switch value {
        case .scalar, .anyValue, .enumeration, .custom: true
        case .model: isOptional || collection != nil
        case .unsupported, .unknown: false
        }
    }

    /// Whether the type is known at least in part.
    package var isKnown: Bool {
        if case .unknown = value { return false }
        return true
    }
}

extension Program {
    /// The protocols that map a type to one that can be stored.
    package static let mappingProtocols: Set<String> = [
        "CustomPersistable", "FailableCustomPersistable", "_CustomPersistable",
    ]
    package static let enumProtocols: Set<String> = ["PersistableEnum", "RealmEnum"]

    /// Types of other modules that are often used by mistake, with advice.
    private static let foreign: [String: String] = [
        "UInt": "use Int", "UInt8": "use Int", "UInt16": "use Int", "UInt32": "use Int", "UInt64": "use Int",
        "Int128": "use Decimal128", "UInt128": "use Decimal128", "Character": "use String",
        "Substring": "use String",
        "CGFloat": "use Double", "Float16": "use Float", "Float80": "use Double", "Decimal": "use Decimal128",
        "NSNumber": "use Int or Double", "NSString": "use String", "NSDate": "use Date", "NSData": "use Data",
        "NSArray": "use a List", "NSDictionary": "use a Map", "NSSet": "use a MutableSet",
        "AnyObject": "use AnyRealmValue", "AnyHashable": "use AnyRealmValue", "Any": "use AnyRealmValue",
        "URL": "make it FailableCustomPersistable by an extension, or store its string", "Void": "",
        "Never": "",
    ]

    /// Returns the type of a property: the declared one, or that of its default value.
    package func persistedType(of property: PropertyDeclaration, in scope: TypeDeclaration) -> PropertyType {
        if let type = property.type { return persistedType(type, in: scope) }
        guard let value = property.value, let type = typeOfLiteral(value, in: scope) else {
            return PropertyType(value: .unknown, text: "", valueText: "")
        }
        return persistedType(type, in: scope)
    }

    package func persistedType(_ written: TypeSyntax, in scope: TypeDeclaration?) -> PropertyType {
        var (type, scope) = resolved(written, in: scope)
        var result = PropertyType(value: .unknown, text: written.text, valueText: written.text)
        var isOptional = false
        while case .optional(let wrapped) = type {
            isOptional = true
            (type, scope) = resolved(wrapped, in: scope)
        }
        guard case .named(let components) = type, let last = components.last, !last.arguments.isEmpty,
            let collection = PropertyType.Collection(rawValue: last.name),
            meaning(of: components.map(\.name), in: scope) == nil
        else {
            result.isOptional = isOptional
            result.valueText = type.text
            result.value = value(type, in: scope)
            return result
        }
        result.collection = collection
        result.isOptionalCollection = isOptional
        guard var element = last.arguments.last, last.arguments.count == (collection == .map ? 2 : 1) else {
            return result
        }
        if collection == .map {
            let (key, keyScope) = resolved(last.arguments[0], in: scope)
            if foreignName(of: key, in: keyScope) != "String" { result.foreignKey = last.arguments[0].text }
        }
        var elementScope = scope
        (element, elementScope) = resolved(element, in: scope)
        while case .optional(let wrapped) = element {
            result.isOptional = true
            (element, elementScope) = resolved(wrapped, in: elementScope)
        }
        result.valueText = element.text
        result.value = value(element, in: elementScope)
        return result
    }

    /// Returns the stored form of a type that is not one of Kivo's collections.
    private func value(_ type: TypeSyntax, in scope: TypeDeclaration?) -> PropertyType.Value {
        switch type {
        case .optional(let wrapped): return value(wrapped, in: scope)
        case .array(let element): return bare("Array", "a List<\(element.text)>")
        case .dictionary(let key, let element):
            return bare("Dictionary", "a Map<\(key.text), \(element.text)>")
        case .tuple, .function, .metatype: return .unsupported(advice: nil)
        case .existential(let parts):
            let isAny = parts.count == 1 && parts[0].path == ["Any"]
            return .unsupported(advice: isAny ? "use AnyRealmValue" : nil)
        case .named(let components): return named(components, in: scope)
        }
    }

    private func bare(_ name: String, _ instead: String) -> PropertyType.Value {
        isExtended(name, to: Self.mappingProtocols) ? .custom(name) : .unsupported(advice: "use \(instead)")
    }

    private func named(_ components: [TypeSyntax.Component], in scope: TypeDeclaration?) -> PropertyType.Value
    {
        let path = components.map(\.name)
        if case .type(let declaration)? = meaning(of: path, in: scope) { return value(of: declaration) }
        guard let name = foreignName(of: .named(components), in: scope) else { return .unknown }
        if let scalar = ScalarName(alias: name) { return .scalar(scalar) }
        if name == "AnyRealmValue" { return .anyValue }
        if isExtended(name, to: Self.mappingProtocols.union(Self.enumProtocols)) { return .custom(name) }
        let arguments = components.last?.arguments ?? []
        switch name {
        case "Array" where arguments.count == 1: return bare("Array", "a List<\(arguments[0].text)>")
        case "Set" where arguments.count == 1: return bare("Set", "a MutableSet<\(arguments[0].text)>")
        case "Dictionary" where arguments.count == 2:
            return bare("Dictionary", "a Map<\(arguments[0].text), \(arguments[1].text)>")
        case "Results", "AnyRealmCollection":
            return .unsupported(advice: "use a List, or LinkingObjects for the way back")
        case "List", "MutableSet", "Map":
            return .unsupported(advice: "collections in collections need AnyRealmValue")
        case "Object", "EmbeddedObject", "ObjectBase":
            return .unsupported(advice: "name a class that is derived from it")
        default: break
        }
        guard let advice = Self.foreign[name] else { return .unknown }
        return .unsupported(advice: advice.isEmpty ? nil : advice)
    }

    private func value(of type: TypeDeclaration) -> PropertyType.Value {
        if let model = model(of: type) { return .model(model) }
        let protocols = Self.mappingProtocols.union(Self.enumProtocols)
        switch conformance(of: type, to: protocols) {
        case .yes:
            return type.kind == .enum
                ? .enumeration(type, raw: rawType(of: type)) : .custom(type.qualifiedName)
        case .unknown: return .unknown
        case .no: break
        }
        switch type.kind {
        case .enum:
            let raw = type.inherited.isEmpty ? "String" : rawType(of: type) ?? "String"
            return .unsupported(
                advice: "declare 'enum \(type.name): \(raw), PersistableEnum', or make it CustomPersistable")
        case .struct:
            return .unsupported(
                advice: "make '\(type.name)' CustomPersistable, or a class derived from EmbeddedObject")
        case .class:
            if hasUnknownSuperclass(type) { return .unknown }
            if projectedModel(of: type) != nil {
                return .unsupported(advice: "link to the class that it projects")
            }
            return .unsupported(advice: "derive '\(type.name)' from Object or EmbeddedObject")
        case .actor, .protocol, .extension: return .unsupported(advice: nil)
        }
    }

    /// Returns the raw type of an enum, which it declares first.
    package func rawType(of type: TypeDeclaration) -> String? {
        guard let first = type.inherited.first, let name = foreignName(of: first, in: type.outer) else {
            return nil
        }
        if let scalar = ScalarName(alias: name) { return scalar.rawValue }
        return Self.foreign[name] != nil ? name : nil
    }

    /// Returns the type of a default value, if it is known without knowledge of initialisers.
    package func typeOfLiteral(_ value: Expression, in scope: TypeDeclaration?) -> TypeSyntax? {
        switch value.bare {
        case .string: return .name("String")
        case .bool: return .name("Bool")
        case .number(let isFloating): return .name(isFloating ? "Double" : "Int")
        case .call(let call):
            if case .generic(let base, let arguments) = call.function.bare, let path = base.path,
                let last = path.last
            {
                let outer = path.dropLast().map { TypeSyntax.Component(name: $0, arguments: []) }
                return .named(outer + [TypeSyntax.Component(name: last, arguments: arguments)])
            }
            guard let path = call.function.path else { return nil }
            if path == ["ObjectId", "generate"] { return .name("ObjectId") }
            if path.last == "LinkingObjects", case .type(let origin)? = call.arguments.first?.value.bare,
                let target = origin.path
            {
                return .named([
                    TypeSyntax.Component(name: "LinkingObjects", arguments: [TypeSyntax(path: target)])
                ])
            }
            return namesType(path, in: scope) ? TypeSyntax(path: path) : nil
        case .member(let base?, let name, _):
            if let path = base.path, let scalar = foreignName(of: TypeSyntax(path: path), in: scope),
                ScalarName(rawValue: scalar) != nil,
                ["distantPast", "distantFuture", "now", "min", "max", "zero", "pi", "infinity"].contains(name)
            {
                return .name(scalar)
            }
            guard let path = base.path, let declaration = declaration(of: TypeSyntax(path: path), in: scope),
                declaration.kind == .enum
            else { return nil }
            return TypeSyntax(path: path)
        case .array(let elements):
            guard let first = elements.first, let element = typeOfLiteral(first, in: scope) else {
                return nil
            }
            return .array(element)
        default: return nil
        }
    }

    /// Whether a path names a known type instead of a function.
    private func namesType(_ path: [String], in scope: TypeDeclaration?) -> Bool {
        if meaning(of: path, in: scope) != nil { return true }
        guard let name = foreignName(of: TypeSyntax(path: path), in: scope) else { return false }
        return ScalarName(alias: name) != nil || Self.foreign[name] != nil
    }
}
