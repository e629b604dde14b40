import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport

/// The command `realm` of the tool: what can be done with files of the engine whose place Kivo takes.
package enum RealmCommand {
    /// How it is called.
    package static let usage = """
        usage: kivo realm info FILE
               kivo realm schema FILE
               kivo realm dump FILE
               kivo realm models FILE
               kivo realm import FILE TO [--models KIVO-FILE] [--module NAME]
                                         [--existing error|overwrite|keep] [--batch OBJECTS]

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

        """

    /// Runs the command.
    ///
    /// - Parameter arguments: What follows `realm`.
    /// - Returns: The exit code: 0, 1 if it failed, 2 if the arguments make no sense.
    package static func run(_ arguments: [String], _ output: CommandOutput) -> Int32 {
        do {
            if ["help", "--help", "-h"].contains(arguments.first) {
                try output.write(usage)
                return 0
            }
            try run(RealmArguments(arguments), output)
            return 0
        } catch let error as RealmArguments.Misuse {
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

    private static func run(_ arguments: RealmArguments, _ output: CommandOutput) throws {
        let name = URL(fileURLWithPath: arguments.file).lastPathComponent
        let file: RealmFile
        do {
            file = try RealmFile(path: arguments.file)
        } catch {
            throw Realm.Error(.fileAccess, "'\(arguments.file)': \(error)")
        }
        switch arguments.action {
        case .info: try output.write(FileInformation.text(file, name))
        case .schema: try output.write(FileInformation.schema(file))
        case .dump:
            try file.dump(name: name) { try output.write($0) }
            try output.write("\n")
        case .models: try output.write(SwiftModels.source(file.schema()))
        case .import: try FileImport(arguments).run(file, output)
        }
    }
}
