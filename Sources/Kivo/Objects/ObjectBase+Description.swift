import Foundation

extension ObjectBase: CustomStringConvertible {
    /// How many links deep descriptions go, and how many elements of a collection they show: enough to read, and an end
    /// for cycles and for large realms.
    private static let (deepest, longest) = (3, 20)

    /// The object in words: `ClassName { … }` with one property per line.
    final func kivoDescription(depth: Int) -> String {
        let name = kivoInfo.name
        if isManaged, isInvalidated { return "\(name) { invalidated }" }
        if depth > ObjectBase.deepest { return "\(name) { … }" }
        let info = kivoInfo
        let lines = info.properties.map { property in
            let value = ObjectBase.describe(kivoValue(property), property.type, depth)
            return "\t\(property.name) = \(value.replacingLineBreaks("\n\t"));"
        }
        return "\(name) {\n\(lines.map { $0 + "\n" }.joined())}"
    }

    private static func describe(_ value: Any?, _ type: DeclaredType, _ depth: Int) -> String {
        guard let value = flatten(value) else { return "nil" }
        switch value {
        case let object as ObjectBase: return object.kivoDescription(depth: depth + 1)
        case let value as AnyRealmValue:
            switch value {
            case .object(let object): return object.kivoDescription(depth: depth + 1)
            case .list(let list): return describe(list, type, depth + 1)
            case .dictionary(let map): return describe(map, type, depth + 1)
            default: return value.description
            }
        case let data as Data: return "<\(data.count) bytes>"
        // The way back is not described: it leads to where the description came from.
        case let origins as any RealmCollectionBase where type.collection == .linkingObjects:
            return "\(type.description) (\(origins.count) elements)"
        case let collection as any ModelCollection:
            let count = collection.elementCount
            let shown = collection.beginning(longest).enumerated().map { index, entry in
                (entry.label.map { "\"\($0)\"" } ?? "\(index)", entry.element)
            }
            // Objects that would show nothing say no more than their number.
            if shown.isEmpty || (type.target != nil && depth >= deepest) {
                return "\(type.description) (\(count) elements)"
            }
            var lines = shown.map { label, value in
                "\t[\(label)] " + describe(value, type, depth).replacingLineBreaks("\n\t")
            }
            if count > shown.count { lines.append("\t… \(count - shown.count) more") }
            return "\(type.description) (\n\(lines.joined(separator: ",\n"))\n)"
        default: return "\(value)"
        }
    }
}
