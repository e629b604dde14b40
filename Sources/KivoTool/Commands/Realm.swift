import KivoRealmCommands
import KivoRealmImport

extension Command {
    static let realm = Command(
        name: "realm", summary: "Read .realm files of the established engine, and bring them in.",
        discussion: "A .realm file stays as it is.",
        subcommands: [
            Command(
                realm: .info, name: "info",
                summary: "What a file is, and how many objects it has of each class."),
            Command(realm: .schema, name: "schema", summary: "The classes of a file, with their properties."),
            Command(
                realm: .dump, name: "dump", summary: "All of a file, as one JSON object.", hasText: false),
            Command(
                realm: .models, name: "models", summary: "The classes of a file, as Swift source.",
                hasText: false),
            Command(
                name: "import", summary: "Bring the objects of a file into a file of Kivo.",
                arguments: [
                    realmFile,
                    Argument(name: "TO", summary: "A file of Kivo, which is made if it does not exist."),
                ],
                options: [
                    Option(
                        "--models", "KIVO-FILE", "Take classes of the same names from another file of Kivo."),
                    Option("--module", "NAME", "The module of the classes in the program that will open TO."),
                    Option(
                        "--existing", "WHAT",
                        "What to do with objects whose primary keys TO has already (error).",
                        choices: RealmFileImport.ExistingObjects.names.map(\.name)),
                    Option("--batch", "OBJECTS", "Write so many objects at a time, and not all at once."),
                    .json, .text,
                ],
                changesFile: true
            ) { arguments, output in
                let existing = arguments.value("--existing") ?? "error"
                let fileImport = FileImport(
                    to: arguments.words[1], models: arguments.value("--models"),
                    module: arguments.value("--module") ?? "",
                    existing: RealmFileImport.ExistingObjects.names.first { $0.name == existing }!.value,
                    batch: try arguments.count("--batch"))
                try RealmCommand.import(fileImport).run(on: arguments.words[0], output.ofCommand)
                return .success
            },
        ])

    private static let realmFile = Argument(name: "FILE", summary: "A .realm file.")

    private init(realm command: RealmCommand, name: String, summary: String, hasText: Bool = true) {
        self.init(
            name: name, summary: summary, arguments: [Command.realmFile],
            options: hasText ? [.json, .text] : []
        ) { arguments, output in
            try command.run(on: arguments.words[0], output.ofCommand)
            return .success
        }
    }
}

extension RealmFileImport.ExistingObjects {
    fileprivate static let names: [(name: String, value: Self)] = [
        ("error", .error), ("overwrite", .overwrite), ("keep", .keep),
    ]
}

extension Output {
    fileprivate var ofCommand: CommandOutput {
        CommandOutput(
            isJSON: isJSON,
            write: { bytes in
                self.write(bytes)
                try self.checkIsOpen()
            }, progress: { share in self.progress("importing", Int(share * 1000), of: 1000) },
            isIncomplete: { path, isIncomplete in
                if isIncomplete {
                    TemporaryFiles.add(path) {}
                } else {
                    TemporaryFiles.remove(path) {}
                }
            })
    }
}
