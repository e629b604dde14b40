import KivoEngine
import KivoSourceModel

/// A path of names from the objects of a class to a value, through links to one object: `owner.name`.
struct FieldPath {
    let name: String
    private let steps: [(table: TableID, property: StoredClass.Property)]

    /// Resolves a path in a class. Throws ``UsageError`` if there is none.
    init(_ name: String, of some: StoredClass, _ catalog: Catalog) throws(UsageError) {
        self.name = name
        let names = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        steps = try FieldPath.resolve(names, of: some, catalog)
        let end = steps.dropLast().first { $0.property.collection != nil } ?? steps[steps.count - 1]
        guard steps.count == names.count, end.property.name == names.last else {
            throw UsageError(
                "'\(name)' leads nowhere, because '\(end.property.name)' is no link to one object")
        }
    }

    /// Creates the path to a property.
    init(_ property: StoredClass.Property, of some: StoredClass) {
        name = property.name
        steps = [(some.table, property)]
    }

    /// The property at the end.
    var property: StoredClass.Property { steps[steps.count - 1].property }

    /// Returns the properties on a path, up to the first one that is no link and no collection of links. Throws ``UsageError`` if a class has no
    /// property of a name.
    @discardableResult
    static func resolve(
        _ names: [String], of some: StoredClass, _ catalog: Catalog
    ) throws(UsageError) -> [(table: TableID, property: StoredClass.Property)] {
        var steps: [(table: TableID, property: StoredClass.Property)] = []
        var current: StoredClass? = some
        for name in names {
            guard let some = current else { break }
            guard let property = some.properties.first(where: { $0.name == name }) else {
                throw UsageError(
                    "class '\(some.name)' has no property '\(name)'"
                        + Spelling.suggestion(for: name, among: some.properties.map(\.name)))
            }
            steps.append((some.table, property))
            current = property.spec.target.map { StoredClass($0, catalog) }
        }
        return steps
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
