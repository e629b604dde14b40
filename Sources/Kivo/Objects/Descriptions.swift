import Foundation

/// Textual descriptions of objects, collections and values, in the form of the established API: `Dog { … }` with a property per
/// line, and `List<Dog> <0x…> ( … )` with an element per line.
///
/// Limits to the depth of links and collections, and to the number of elements, end cycles and shorten large realms.
enum Descriptions {
    /// The largest depth of nested objects and collections, the outermost included.
    static let deepest = 5
    private static let tooDeep = "<Maximum depth exceeded>"
    /// The largest number of elements shown of a collection, and of bytes shown of data.
    private static let (longest, longestData) = (100, 24)

    /// Returns an object with its properties, except for those that are computed.
    static func text(of object: ObjectBase, depth: Int) -> String {
        if depth == 0 { return tooDeep }
        if object.isManaged, object.isInvalidated { return "[invalid object]" }
        let lines = object.kivoInfo.properties.filter { $0.type.collection != .linkingObjects }.map {
            "\t\($0.name) = \(indented(text(of: object.kivoStoredValue($0), depth: depth - 1)));\n"
        }
        return "\(object.kivoInfo.name) {\n\(lines.joined())}"
    }

    /// Returns a collection with its elements, those of a map with their keys.
    ///
    /// - Parameters:
    ///   - name: The kind of collection and the type of its elements.
    ///   - identity: The identity of the collection.
    static func text<Elements: Collection>(
        ofCollection name: String, identity: ObjectIdentifier, count: Int, _ elements: Elements, depth: Int
    ) -> String where Elements.Element == (label: String?, element: Any?) {
        if depth == 0 { return tooDeep }
        var lines = elements.prefix(longest).enumerated().map { index, entry in
            let label = entry.label.map { "[\($0)]:" } ?? "[\(index)]"
            return "\t\(label) \(indented(text(of: entry.element, depth: depth - 1, null: "<null>")))"
        }.joined(separator: ",\n")
        if count > longest { lines += "\n\t... \(count - longest) objects skipped." }
        return "\(name) <0x\(String(UInt(bitPattern: identity), radix: 16))> (\n\(lines)\n)"
    }

    /// Returns a value, in its stored form if it is an enum or of a mapped type.
    private static func text(of value: Any?, depth: Int, null: String = "(null)") -> String {
        guard let value = nonNull(value).map(storedForm) else { return null }
        switch value {
        case let object as ObjectBase: return object.kivoDescription(depth: depth)
        case let collection as any DescribedCollection: return collection.description(depth: depth)
        case let value as AnyRealmValue:
            return text(of: AnyRealmValue.toAny(value), depth: depth, null: null)
        case let value as Bool: return value ? "1" : "0"
        case let value as any BinaryFloatingPoint:
            let text = "\(value)"
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        case let date as Date: return words(date)
        case let decimal as Decimal128: return decimal.description
        case let data as Data:
            let bytes = data.prefix(longestData).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return "<\(bytes.joined()) — \(data.count) total bytes>"
        default: return "\(value)"
        }
    }

    private static func indented(_ text: String) -> String { text.replacingLineBreaks("\n\t") }
}

/// A collection that is described inside of the description of another value.
protocol DescribedCollection {
    func description(depth: Int) -> String
}

extension ObjectBase: CustomStringConvertible {
    /// Returns the description of the object; see ``description``, which a class may override.
    final func kivoDescription(depth: Int = Descriptions.deepest) -> String {
        Descriptions.text(of: self, depth: depth)
    }
}

extension DescribedCollection where Self: RealmCollection {
    /// - Parameter identity: The identity of the collection.
    func description(of kind: String, _ elements: TableContext?, _ identity: ObjectIdentifier, depth: Int)
        -> String
    {
        Descriptions.text(
            ofCollection: "\(kind)<\(Element._describedName(elements))>", identity: identity, count: count,
            lazy.map { (label: nil, element: $0) }, depth: depth)
    }
}

extension RealmCollectionValue {
    /// Returns the name of the type in descriptions: a class, or the stored type.
    ///
    /// - Parameter elements: The class in a realm, if the type is one. It is the only source of the name for ``DynamicObject``.
    static func _describedName(_ elements: TableContext?) -> String {
        if let elements { return elements.info.name }
        if let fetched = self as? any RealmFetchable.Type { return fetched.className() }
        var type = DeclaredType()
        _access.type.describeElement(&type)
        return type.target?.className() ?? PropertyType(type).description
    }
}

extension List: DescribedCollection {
    /// A textual description of the elements, at most the first hundred.
    ///
    /// - Complexity: O(n), although at most a hundred elements are described.
    public var description: String { description(depth: Descriptions.deepest) }
    func description(depth: Int) -> String {
        description(of: "List", context.elements, ObjectIdentifier(self), depth: depth)
    }
}

extension MutableSet: DescribedCollection {
    /// A textual description of the elements, at most the first hundred.
    ///
    /// - Complexity: O(n), although at most a hundred elements are described.
    public var description: String { description(depth: Descriptions.deepest) }
    func description(depth: Int) -> String {
        description(of: "MutableSet", context.elements, ObjectIdentifier(self), depth: depth)
    }
}

extension LinkingObjects: DescribedCollection {
    /// A textual description of the elements, at most the first hundred.
    ///
    /// - Complexity: O(n), although at most a hundred elements are described.
    public var description: String { description(depth: Descriptions.deepest) }
    func description(depth: Int) -> String {
        let identity: AnyObject? = declaration ?? target?.instance
        return description(
            of: "LinkingObjects", target?.originContext,
            identity.map { ObjectIdentifier($0) } ?? ObjectIdentifier(Element.self), depth: depth)
    }
}

extension Map: CustomStringConvertible, DescribedCollection {
    /// A textual description of the entries, at most the first hundred.
    ///
    /// - Complexity: O(n) for a managed map, O(n log n) for an unmanaged one, although at most a hundred entries are described.
    public var description: String { description(depth: Descriptions.deepest) }
    func description(depth: Int) -> String {
        Descriptions.text(
            ofCollection: "Map<string, \(Value._describedName(context.elements))>",
            identity: ObjectIdentifier(self),
            count: count, entries.map { (label: $0.key._mapKey, element: $0.value) }, depth: depth)
    }
}
