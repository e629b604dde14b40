import Foundation
import Kivo
import KivoRealmFiles

/// A command of the tool on a file of the engine that Kivo replaces. The file is only read.
package enum RealmCommand: Sendable {
    /// Writes the file's properties, and its number of objects of each class.
    case info
    /// Writes the classes and their properties.
    case schema
    /// Writes the whole file as JSON.
    case dump
    /// Writes the classes as Swift source.
    case models
    /// Copies the objects into a file of Kivo.
    case `import`(FileImport)

    /// Runs the command on the file at a path.
    ///
    /// - Throws: `Realm.Error`, and errors of the output.
    package func run(on path: String, _ output: CommandOutput) throws {
        do {
            try run(RealmFile(path: path), URL(fileURLWithPath: path).lastPathComponent, output)
        } catch let error as RealmFileError {
            throw Realm.Error(.fileAccess, "'\(path)': \(error).")
        }
    }

    private func run(_ file: RealmFile, _ name: String, _ output: CommandOutput) throws {
        switch self {
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
        case .import(let fileImport): try fileImport.run(file, output)
        }
    }
}

/// The output of a command.
package struct CommandOutput {
    /// Whether a program reads the result, which is then JSON.
    package var isJSON: Bool
    /// Writes the result. The bytes are valid during the call only.
    package let write: (UnsafeRawBufferPointer) throws -> Void
    /// Reports the share of a long operation that is done, from 0 to 1.
    package let progress: (Double) -> Void
    /// Reports the path of a file that is incomplete from now on, so that an interruption can remove it, or complete again.
    package let isIncomplete: (_ path: String, Bool) -> Void

    /// Creates an output from closures.
    package init(
        isJSON: Bool = false, write: @escaping (UnsafeRawBufferPointer) throws -> Void,
        progress: @escaping (Double) -> Void = { _ in },
        isIncomplete: @escaping (_ path: String, Bool) -> Void = { _, _ in }
    ) {
        self.isJSON = isJSON
        self.write = write
        self.progress = progress
        self.isIncomplete = isIncomplete
    }

    /// Writes a text.
    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a value in JSON, on one line.
    func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(value).withUnsafeBytes { try write($0) }
        try write("\n")
    }
}
