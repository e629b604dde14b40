import KivoSchemaDrawing

/// The difference between two schemas, and the steps of a migration from one to the other.
struct SchemaDifference {
    /// The migration that a change requires.
    enum Effort: Int, Comparable {
        /// No migration: the file opens as it is.
        case none
        /// A higher `schemaVersion`.
        case version
        /// A `migrationBlock`; without it, values are lost that could be preserved.
        case block

        static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    struct Change {
        enum Sign: String { case added = "+", removed = "-", changed = "~" }

        var sign: Sign
        /// The name of the property, or nil for a change of the class.
        var property: String?
        var text: String
        var effort: Effort
        /// Lines of Swift for the migration block.
        var code: [String] = []
        /// Whether the lines belong in an enumeration of the class's objects.
        var isForEachObject = false
    }

    /// The changes of each class, by name.
    var classes: [(name: String, changes: [Change])] = []

    var effort: Effort { classes.flatMap(\.changes).map(\.effort).max() ?? .none }

    init(from old: SourceSchema, to new: SourceSchema) {
        let before = Dictionary(uniqueKeysWithValues: old.outline.classes.map { ($0.name, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.outline.classes.map { ($0.name, $0) })
        var renamed: Set<String> = []
        for name in Set(before.keys).union(after.keys).sorted() {
            var changes: [Change] = []
            switch (before[name], after[name]) {
            case (nil, let added?):
                let likely = Self.predecessor(
                    of: added, among: old.outline.classes.filter { after[$0.name] == nil })
                if let likely, !added.isEmbedded { renamed.insert(likely.name) }
                changes = [Self.added(added, likely)]
            case (let removed?, nil):
                changes = [
                    Change(
                        sign: .removed, property: nil,
                        text:
                            "class removed: its \(removed.isEmbedded ? "objects go with their owners" : "objects stay in the file")",
                        effort: removed.isEmbedded ? .version : .none,
                        code: removed.isEmbedded
                            ? [] : ["// If nobody needs them: migration.deleteData(forType: \"\(name)\")"])
                ]
            case (let before?, let after?):
                changes = Self.changes(before, after, old.storage[name] ?? [:], new.storage[name] ?? [:])
            case (nil, nil): break
            }
            if !changes.isEmpty { classes.append((name, changes)) }
        }
        // The code of the new class copies the data and deletes the old class.
        for index in classes.indices where renamed.contains(classes[index].name) {
            classes[index].changes[0].code = []
        }
    }

    /// Returns the class that was renamed to another one, if there is one with nearly the same properties.
    private static func predecessor(
        of added: SchemaOutline.Class, among removed: [SchemaOutline.Class]
    ) -> SchemaOutline.Class? {
        let names = Set(added.properties.map { $0.name + $0.declaredType })
        func shared(_ other: SchemaOutline.Class) -> Int {
            names.intersection(other.properties.map { $0.name + $0.declaredType }).count
        }
        return removed.filter { $0.isEmbedded == added.isEmbedded }.max { shared($0) < shared($1) }
            .flatMap { shared($0) * 3 >= max(names.count, $0.properties.count) * 2 ? $0 : nil }
    }

    private static func added(_ added: SchemaOutline.Class, _ before: SchemaOutline.Class?) -> Change {
        guard let before, !added.isEmbedded else {
            return Change(
                sign: .added, property: nil, text: "\(added.isEmbedded ? "embedded class" : "class") added",
                effort: .none)
        }
        return Change(
            sign: .added, property: nil,
            text: "class added; has it been '\(before.name)'? Its objects can be copied",
            effort: .block,
            code: [
                "// If '\(added.name)' is what '\(before.name)' was:",
                "migration.enumerateObjects(ofType: \"\(before.name)\") { old, _ in",
                "    migration.create(\"\(added.name)\", value: old!)",
                "}",
                "migration.deleteData(forType: \"\(before.name)\")",
            ])
    }
}
