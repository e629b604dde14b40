import Kivo
import KivoEngine
import KivoSourceModel

/// A path of names from the objects of a class to a value, through links to one object: `owner.name`.
struct FieldPath {
    let name: String
    private let steps: [(table: TableID, property: TableProperty)]

    /// Resolves a path in a class. Throws ``UsageError`` if there is none.
    init(_ name: String, of some: StoredClass, _ catalog: Catalog) throws(UsageError) {
        self.name = name
        let names = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let (steps, rest) = try FieldPath.resolve(names, of: some, catalog)
        let collection = steps.dropLast().first { $0.property.collection != nil }
        guard rest.isEmpty, collection == nil else {
            let end = collection ?? steps[steps.count - 1]
            throw UsageError(
                "'\(name)' leads nowhere, because '\(end.property.name)' is no link to one object")
        }
        self.steps = steps
    }

    /// Creates the path to a property.
    init(_ property: TableProperty, of some: StoredClass) {
        name = property.name
        steps = [(some.table, property)]
    }

    /// The property at the end.
    var property: TableProperty { steps[steps.count - 1].property }

    /// Returns the properties on a path, up to the first one that is no link and no collection of links, and the names that are left.
    /// A property can have dots in its name: the longest such name wins over a path. Throws ``UsageError`` if a class has no property
    /// of a name.
    static func resolve(
        _ names: [String], of some: StoredClass, _ catalog: Catalog
    ) throws(UsageError) -> (
        steps: [(table: TableID, property: TableProperty)], rest: ArraySlice<String>
    ) {
        var steps: [(table: TableID, property: TableProperty)] = []
        var (current, rest): (StoredClass?, ArraySlice) = (some, names[...])
        while let some = current, let name = rest.first {
            let known = rest.indices.reversed().lazy.compactMap { end in
                let name = rest[...end].joined(separator: ".")
                return some.properties.first { $0.name == name }.map { (property: $0, end: end) }
            }
            guard let (property, end) = known.first else {
                throw UsageError(
                    "class '\(some.name)' has no property '\(name)'"
                        + Spelling.suggestion(for: name, among: some.properties.map(\.name)))
            }
            steps.append((some.table, property))
            current = property.spec.target.map { StoredClass($0, catalog) }
            rest = rest[(end + 1)...]
        }
        return (steps, rest)
    }

    /// Throws ``UsageError`` if a class has no path of names, which may lead through collections.
    static func check(_ names: [String], of some: StoredClass, _ catalog: Catalog) throws(UsageError) {
        let (steps, rest) = try resolve(names, of: some, catalog)
        guard let end = steps.last, !rest.isEmpty else { return }
        throw UsageError(
            "'\(names.joined(separator: "."))' leads nowhere, because '\(end.property.name)' is no link")
    }

    /// Returns the value for an object; null if a link on the way is.
    func value(of key: ObjectKey, _ values: StoredValues) -> StoredValue {
        var (key, value) = (key, StoredValue.null)
        for (index, step) in steps.enumerated() {
            value = values.value(step.property, step.table, key)
            if index == steps.count - 1 { break }
            guard case .link(_, let next) = value else { return .null }
            key = next
        }
        return value
    }
}

extension SortDescriptor {
    /// Creates the order by a property or path of a class; behind a minus sign, in descending order. Throws ``UsageError`` if the class
    /// has none.
    init(_ text: String, of some: StoredClass, _ catalog: Catalog) throws(UsageError) {
        let isProperty = some.properties.contains { $0.name == text }
        let isDescending = !isProperty && text.hasPrefix("-")
        let path = try FieldPath(isDescending ? String(text.dropFirst()) : text, of: some, catalog)
        self.init(keyPath: path.name, ascending: !isDescending)
    }
}
