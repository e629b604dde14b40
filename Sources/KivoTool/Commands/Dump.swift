import Kivo
import KivoEngine

extension Command {
    static let dump = Command(
        name: "dump", summary: "Print the objects of a file, one JSON object on a line.",
        discussion: """
            In the order of classes by name, and of keys. A line has 'class', 'key' and 'values'. Links are
            the keys of the objects that they lead to: {"key":5}. Embedded objects have lines of their own.
            """,
        arguments: [.file],
        options: [
            Option("--class", "NAME", "Only the objects of a class. Can be given several times."),
            Option(
                "--where", "PREDICATE",
                "Only the objects for which a predicate holds, as in 'age > 5 AND name BEGINSWITH \"R\"'. Needs one --class."
            ),
            .json, .text,
        ]
    ) { arguments, output in
        let names = arguments.values("--class")
        let file = try StoredFile.read(arguments.words[0])
        for name in names where !file.classes.contains(where: { $0.name == name }) {
            throw Problem("'\(file.path)' has no class '\(name)'")
        }
        guard let predicate = arguments.value("--where") else {
            let classes = file.classes.filter { names.isEmpty || names.contains($0.name) }
            try ObjectPrinter(file.values, output).print(classes)
            return .success
        }
        guard names.count == 1 else { throw UsageError("'--where' needs one '--class'") }
        let realm = try file.realm()
        let keys: [ObjectKey]
        do {
            keys = try realm.keys(ofClass: names[0], where: predicate)
        } catch let error as Realm.Error where error.code == .invalidInput {
            throw UsageError(error.message)
        }
        let (snapshot, catalog) = realm.inspected
        let printer = ObjectPrinter(StoredValues(snapshot, catalog), output)
        let some = StoredClass(catalog.table(named: names[0])!, catalog)
        for key in keys { try printer.print(key, some) }
        return .success
    }
}

/// A writer of objects as lines of JSON.
struct ObjectPrinter {
    private let values: StoredValues
    private let output: Output

    init(_ values: StoredValues, _ output: Output) {
        self.values = values
        self.output = output
    }

    /// Writes all objects of some classes.
    func print(_ classes: [StoredClass]) throws {
        for some in classes {
            let table = values.snapshot.table(some.table)
            let total = table.count
            var count = 0
            var failure: (any Error)?
            table.forEachKeyWhile { key in
                count += 1
                do {
                    try print(key, some)
                    output.progress("\(some.name): \(count) of \(total)")
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
        }
    }

    /// Writes one object.
    func print(_ key: ObjectKey, _ some: StoredClass) throws(OutputEnd) {
        output.write(
            JSONText.line { json in
                json.member("class", some.name)
                json.row(key, some.properties.map { ($0.name, values.value($0, some.table, key)) })
            })
        try output.checkIsOpen()
    }
}
