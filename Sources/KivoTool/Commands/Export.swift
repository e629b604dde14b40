import Kivo
import KivoEngine

extension Command {
    static let export = Command(
        name: "export", summary: "Print all that a file holds, or a part, as lines of JSON for 'import'.",
        discussion: """
            The first line describes the classes; the others are those of 'dump --json'. Nothing is lost: the
            file that 'import' makes of it has the same objects under the same keys. With --class, --where or
            --limit, only the chosen objects and all objects to which they lead are printed.

            With --fields, --format, --count or a function of a property, it prints what 'dump' does: for other
            programs, not for 'import'.

              kivo export pets.kivo > pets.jsonl
              kivo export pets.kivo --class Dog --fields name,mother.name --format csv > dogs.csv
            """,
        arguments: [.fileOrLog], options: ObjectQuery.options + shapes
    ) { arguments, output in
        let file = try StoredFile.read(arguments.words[0])
        if shapes.contains(where: { arguments.has($0.name) }) {
            try write(arguments, file, output)
            return .success
        }
        for some in file.classes {
            for property in some.properties where !property.isKnown {
                throw Problem(
                    """
                    property '\(some.name).\(property.name)' of '\(file.path)' is of \
                    \(property.type(file.history.catalog)), which this version of kivo does not know
                    """)
            }
        }
        let query = try ObjectQuery(arguments, file)
        let isPart = ObjectQuery.selecting.contains(where: arguments.has)
        let part = isPart ? try ReachableObjects(query) : nil
        let classes = StoredClass.all(query.values.catalog)
        output.write(ExportHeader(query.values, classes, schemaVersion: file.schemaVersion).line)
        let counts = classes.map {
            part?.keys[$0.name]?.count ?? (isPart ? 0 : query.values.snapshot.table($0.table).count)
        }
        let total = counts.reduce(0, +)
        var done = 0
        for some in classes {
            func write(_ key: ObjectKey) throws(OutputEnd) {
                output.write(
                    JSONText.line { json in
                        json.member("class", some.name)
                        json.row(
                            key, some.properties.map { ($0.name, query.values.value($0, some.table, key)) })
                    })
                try output.checkIsOpen()
                done += 1
                output.progress("exporting", done, of: total)
            }
            if let part {
                for key in part.keys[some.name, default: []].sorted() { try write(key) }
            } else {
                try query.forEachKey(ObjectQuery.Selection(some: some), write)
            }
        }
        return .success
    }
}

/// The objects of a query, and all objects to which they lead.
private struct ReachableObjects {
    /// The keys of the objects by the names of their classes.
    private(set) var keys: [String: Set<ObjectKey>] = [:]
    private var pending: [(name: String, key: ObjectKey)] = []

    init(_ query: ObjectQuery) throws {
        for selection in query.selections {
            if selection.some.isEmbedded {
                throw UsageError(
                    "objects of class '\(selection.some.name)' are embedded: name the class that they belong to"
                )
            }
            try query.forEachKey(selection) { add(selection.some.name, $0) }
        }
        let classes = Dictionary(
            uniqueKeysWithValues: StoredClass.all(query.values.catalog).map { ($0.name, $0) })
        while let (name, key) = pending.popLast() {
            guard let some = classes[name] else { continue }
            for property in some.properties where property.leadsToOthers {
                add(query.values.value(property, some.table, key))
            }
        }
    }

    private mutating func add(_ name: String, _ key: ObjectKey) {
        if keys[name, default: []].insert(key).inserted { pending.append((name, key)) }
    }

    private mutating func add(_ value: StoredValue) {
        switch value {
        case .link(let name, let key): add(name, key)
        case .list(let values): for value in values { add(value) }
        case .map(let entries): for entry in entries { add(entry.value) }
        case .any(let value): add(value)
        case .null, .bool, .int, .float, .double, .string, .data, .date, .decimal, .objectId, .uuid, .unknown:
            break
        }
    }
}

/// The first line of an export.
struct ExportHeader {
    /// The version of the format.
    static let version = 1

    private let values: StoredValues
    private let classes: [StoredClass]
    private let schemaVersion: UInt64

    init(_ values: StoredValues, _ classes: [StoredClass], schemaVersion: UInt64) {
        (self.values, self.classes, self.schemaVersion) = (values, classes, schemaVersion)
    }

    var line: JSONText {
        JSONText.line { json in
            json.member("kivo", "export")
            json.member("version", ExportHeader.version)
            json.member("schemaVersion", String(schemaVersion))
            json.name("classes")
            json.array { json in
                for some in classes { json.object { write(some, &$0) } }
            }
        }
    }

    private func write(_ some: StoredClass, _ json: inout JSONText) {
        let catalog = values.catalog
        json.member("name", some.name)
        json.member("typeName", catalog.tables[some.table].typeName)
        json.member("isEmbedded", some.isEmbedded)
        json.member("nextKey", Int(values.snapshot.table(some.table).nextKey))
        json.name("properties")
        json.array { json in
            for property in some.properties {
                json.object { json in
                    json.member("name", property.name)
                    json.member("type", property.spec.target == nil ? property.type(catalog) : "link")
                    json.member("nullable", property.spec.isOptional)
                    json.member("collection", property.collection?.rawValue)
                    json.member("target", property.spec.target.map { catalog.tables[$0].name })
                    json.member("indexed", property.spec.isIndexed)
                    json.member("primaryKey", property.spec.isPrimaryKey)
                }
            }
        }
    }
}
