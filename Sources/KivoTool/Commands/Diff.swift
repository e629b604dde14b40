import Kivo
import KivoSchemaDrawing

extension Command {
    static let diff = Command(
        name: "diff", summary: "What is different between two files: classes and objects.",
        discussion: """
            Objects are the same if their primary keys are equal; in classes without one, if their keys are.
            Embedded objects are parts of their owners. '-' is only in A, '+' only in B, '~' differs.
            Exit code 1 if there is a difference.
            """,
        arguments: [
            Argument(name: "A", summary: "A realm file.", isSubject: true),
            Argument(name: "B", summary: "Another one."),
        ],
        options: [
            Option("--class", "NAME", "Only a class. Can be given several times."),
            Option("--schema", nil, "Only the classes, without objects."), .json, .text,
        ]
    ) { arguments, output in
        let files = try arguments.words.map { try StoredFile.read($0) }
        // What is compared is read through addresses, which do not retain the files.
        defer { withExtendedLifetime(files) {} }
        let names = arguments.values("--class")
        for name in names {
            _ = try StoredClass.named(name, in: files[0].classes + files[1].classes, of: files[0].path)
        }
        func isWanted(_ name: String) -> Bool { names.isEmpty || names.contains(name) }
        var isDifferent = false
        let schema = SchemaChanges(files[0], files[1], isWanted)
        if !schema.isEmpty {
            isDifferent = true
            if output.isJSON { output.write(JSONText.line(schema.write)) } else { output.write(schema.text) }
        }
        if !arguments.has("--schema") {
            let difference = FileDifference(files[0], files[1])
            for name in difference.classNames where isWanted(name) {
                let change = difference.change(ofClass: name) { output.progress("comparing", $0, of: $1) }
                if change.isEmpty { continue }
                isDifferent = true
                if output.isJSON {
                    output.write(JSONText.line { CommitChanges.write(change, to: &$0) })
                } else {
                    output.write(CommitChanges([change]).text)
                }
                try output.checkIsOpen()
            }
        }
        if !isDifferent, !output.isJSON { output.write("no difference\n") }
        return isDifferent ? .problem : .success
    }
}

/// The differences between the classes of two files.
private struct SchemaChanges {
    /// A class or a property, which one of the files may not have.
    private var changes: [(name: String, old: String?, new: String?)] = []

    init(_ a: StoredFile, _ b: StoredFile, _ isWanted: (String) -> Bool) {
        let (old, new) = (SchemaChanges.parts(of: a, isWanted), SchemaChanges.parts(of: b, isWanted))
        for name in Set(old.keys).union(new.keys).sorted() where old[name] != new[name] {
            changes.append((name, old[name], new[name]))
        }
    }

    /// Returns descriptions of the classes and of their properties.
    private static func parts(of file: StoredFile, _ isWanted: (String) -> Bool) -> [String: String] {
        var parts: [String: String] = [:]
        for some in SchemaOutline(file.history.catalog).classes where isWanted(some.name) {
            parts[some.name] = some.isEmbedded ? "embedded class" : "class"
            for property in some.properties {
                let suffix = property.isPrimaryKey ? ", primary key" : property.isIndexed ? ", indexed" : ""
                parts["\(some.name).\(property.name)"] = property.declaredType + suffix
            }
        }
        return parts
    }

    var isEmpty: Bool { changes.isEmpty }

    func write(to json: inout JSONText) {
        json.name("schema")
        json.array { json in
            for change in changes {
                json.object {
                    $0.member("name", change.name)
                    $0.member("old", change.old)
                    $0.member("new", change.new)
                }
            }
        }
    }

    var text: String {
        changes.map { change in
            switch (change.old, change.new) {
            case (let old?, let new?): "  ~ \(change.name): \(old) → \(new)\n"
            case (let old?, nil): "  - \(change.name): \(old)\n"
            case (nil, let new): "  + \(change.name): \(new ?? "")\n"
            }
        }.joined()
    }
}
