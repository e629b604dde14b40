import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport

/// The command `realm` of the tool, which works on files of the engine that Kivo replaces.
package enum RealmCommand {
    /// An error for invalid arguments.
    package struct Misuse: Error {
        /// The reason why they are invalid.
        package let message: String
    }

    /// The usage of the command.
    package static let usage = """
        usage: kivo realm info FILE [--json]
               kivo realm schema FILE [--json]
               kivo realm dump FILE
               kivo realm models FILE
               kivo realm import FILE TO [--models KIVO-FILE] [--module NAME]
                                         [--existing error|overwrite|keep] [--batch OBJECTS] [--json]

        Reads a .realm file, which stays as it is.

          info     what the file is, and how many objects it has of each class
          schema   its classes and properties
          dump     all of it, as JSON
          models   its classes as Swift source
          import   brings its objects into a Kivo file, which is made if it is not there

          --models     takes the classes, where names are the same, from another Kivo file
          --module     the module of the classes in the program that will open TO
          --existing   what to do with primary keys that TO has already (error)
          --batch      writes so many objects at a time, not all at once
          --json       answers in JSON

        """

    /// Runs the command.
    ///
    /// - Parameter arguments: The arguments after `realm`.
    /// - Returns: The exit code: 0 on success, 1 if it failed, 2 if the arguments are invalid.
    package static func run(_ arguments: [String], _ output: CommandOutput) -> Int32 {
        do {
            if ["help", "--help", "-h"].contains(arguments.first) {
                try output.write(usage)
                return 0
            }
            try perform(arguments, output)
            return 0
        } catch is CommandOutput.Closed {
            // The reader closed the output, because it has read enough.
            return 0
        } catch let error as Misuse {
            output.note("kivo realm: \(error.message)")
            output.note(usage)
            return 2
        } catch let error as Realm.Error {
            output.note("kivo realm: \(error.message)")
        } catch {
            output.note("kivo realm: \(error)")
        }
        return 1
    }

    /// Performs the action of the arguments.
    ///
    /// - Throws: ``Misuse`` if they are invalid; `Realm.Error`, and errors of the output.
    package static func perform(_ arguments: [String], _ output: CommandOutput) throws {
        let arguments = try RealmArguments(arguments)
        var output = output
        if arguments.isJSON { output.isJSON = true }
        do {
            try perform(arguments, RealmFile(path: arguments.file), output)
        } catch let error as RealmFileError {
            throw Realm.Error(.fileAccess, "'\(arguments.file)': \(error).")
        }
    }

    private static func perform(
        _ arguments: RealmArguments, _ file: RealmFile, _ output: CommandOutput
    ) throws {
        let name = URL(fileURLWithPath: arguments.file).lastPathComponent
        switch arguments.action {
        case .info:
            let information = try FileInformation(file, name)
            if output.isJSON {
                try output.write(json: information)
            } else {
                try output.write(information.text)
            }
        case .schema:
            let schema = try FileSchema(file)
            if output.isJSON { try output.write(json: schema) } else { try output.write(schema.text) }
        case .dump:
            try file.dump(name: name) { try output.write($0) }
            try output.write("\n")
        case .models: try output.write(SwiftModels.source(file.schema()))
        case .import: try FileImport(arguments).run(file, output)
        }
    }
}
