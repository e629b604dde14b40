import Kivo
import KivoEngine

extension Command {
    static let set = Command(
        name: "set", summary: "Change properties of the objects of a class.",
        discussion: """
            NAME=VALUE sets a property to a text, or to the value that a text stands for, as in CSV. NAME:=JSON
            sets it to a value as 'dump --json' prints it: null, a link {"key":5}, a list [1,2].
            Without --write, it only says how many objects would change. All of them change in one commit, also
            while a program has the file open.

              kivo set pets.kivo age=7 mother:=null --class Dog --where "name == 'Rex'" --write
            """,
        arguments: [
            .file, Argument(name: "NAME=VALUE", summary: "A property and its new value.", isRepeated: true),
        ],
        options: editingOptions, changesFile: true
    ) { arguments, output in
        try Editing(arguments, "set", verb: "change").run(output) { query, selection in
            let assignments = try arguments.words.dropFirst().map {
                try Assignment($0, selection.some, query.values.catalog)
            }
            let values = assignments.map { (name: $0.name, value: $0.json) }
            return { transaction, keys in
                var writer = ValueReader(transaction: transaction, line: nil, replaces: true)
                for key in keys { try writer.set(values, key, selection.some) { _ in true } }
            }
        }
    }

    static let delete = Command(
        name: "delete", summary: "Delete objects of a class.",
        discussion: """
            Embedded objects are deleted with the objects that they belong to, and links to deleted objects
            become null. Without --write, it only says how many objects would be deleted. All of them are
            deleted in one commit, also while a program has the file open.

              kivo delete pets.kivo --class Dog --where "age > 30" --write
            """,
        arguments: [.file], options: editingOptions, changesFile: true
    ) { arguments, output in
        try Editing(arguments, "delete", verb: "delete").run(output) { _, selection in
            { transaction, keys in transaction.delete(keys, from: selection.some.table) }
        }
    }

    private static let editingOptions =
        ObjectQuery.options + [Option("--write", nil, "Write the change into the file."), .json, .text]
}

/// A command that changes the objects of a query, or counts them.
private struct Editing {
    typealias Change = (WriteTransaction, [ObjectKey]) throws -> Void

    let arguments: ParsedArguments
    /// The name of the command.
    let name: String
    /// The action in messages: "change".
    let verb: String

    init(_ arguments: ParsedArguments, _ name: String, verb: String) throws(UsageError) {
        guard arguments.has("--class") else { throw UsageError("'--class' is missing") }
        (self.arguments, self.name, self.verb) = (arguments, name, verb)
    }

    /// - Parameter change: Returns the change of the objects of a class. Throws if there can be none.
    func run(
        _ output: Output, _ change: (ObjectQuery, ObjectQuery.Selection) throws -> Change
    ) throws -> ExitCode {
        let file = try StoredFile.read(arguments.words[0])
        var counts: [(name: String, count: Int)] = []
        if arguments.has("--write") {
            let realm = try file.realm(readOnly: false)
            try realm.write {
                realm.labelWrite(nil, author: "kivo \(name)")
                let query = try ObjectQuery(arguments, file, in: realm)
                let transaction = realm.inspectedTransaction
                for selection in query.selections {
                    let change = try change(query, selection)
                    let keys = try query.keys(selection)
                    try change(transaction, keys)
                    counts.append((selection.some.name, keys.count))
                }
            }
        } else {
            let query = try ObjectQuery(arguments, file)
            for selection in query.selections {
                _ = try change(query, selection)
                counts.append((selection.some.name, query.count(selection)))
            }
        }
        write(counts, output)
        return .success
    }

    private func write(_ counts: [(name: String, count: Int)], _ output: Output) {
        let isWritten = arguments.has("--write")
        for (name, count) in counts {
            if output.isJSON {
                output.write(
                    JSONText.line { json in
                        json.member("class", name)
                        json.member("objects", count)
                        json.member("isWritten", isWritten)
                    })
            } else {
                let objects = "\(count) \(count == 1 ? "object" : "objects") of class '\(name)'"
                output.write(
                    isWritten
                        ? "\(verb)d \(objects)\n" : "would \(verb) \(objects); '--write' does it\n")
            }
        }
    }
}

/// A property and its new value: `age=7`, `mother:=null`.
private struct Assignment {
    let name: String
    let json: JSONValue

    init(_ word: String, _ some: StoredClass, _ catalog: Catalog) throws(UsageError) {
        guard let sign = word.firstIndex(of: "="), sign != word.startIndex else {
            throw UsageError("'\(word)' is no assignment: NAME=VALUE or NAME:=JSON")
        }
        let text = String(word[word.index(after: sign)...])
        let isJSON = word[word.index(before: sign)] == ":"
        name = String(word[..<sign].dropLast(isJSON ? 1 : 0))
        let property = try FieldPath.resolve([name], of: some, catalog).steps[0].property
        if property.spec.isPrimaryKey {
            throw UsageError("'\(some.name).\(name)' is the primary key, which cannot change")
        }
        if let target = property.spec.target, catalog.tables[target].isEmbedded {
            throw UsageError("'\(some.name).\(name)' holds embedded objects, which belong to this property")
        }
        if isJSON {
            guard let json = JSONValue(text.utf8) else { throw UsageError("'\(text)' is no JSON") }
            self.json = json
            return
        }
        guard property.collection == nil, let type = ScalarType(rawValue: property.spec.typeCode),
            property.spec.target == nil
        else {
            throw UsageError(
                "'\(some.name).\(name)' takes JSON: \(name):=JSON, as 'kivo dump --json' prints it")
        }
        guard let value = StoredValue(text, type) else {
            throw UsageError("property '\(some.name).\(name)' of type \(type.name) cannot hold '\(text)'")
        }
        json = JSONValue(value.json.utf8)!
    }
}
