import Foundation
import KivoSchemaDrawing
import KivoSourceModel

/// The schema that the model classes of some sources declare.
struct SourceSchema {
    /// The classes by name, as they are drawn.
    var outline: SchemaOutline
    /// The stored types of values, by class and property. Two enums with raw values of the same type have the same stored type.
    var storage: [String: [String: String]] = [:]
    /// Warnings about sources that could not be read.
    var warnings: [Diagnostic]

    /// Creates the schema of all models of a program.
    init(_ program: Program, warnings: [Diagnostic] = []) {
        self.warnings = warnings
        var classes: [SchemaOutline.Class] = []
        var seen: Set<String> = []
        for model in program.ownModels where model.isInDefaultSchema && !model.declaration.isLocal {
            // Only the first of a class's declarations in several `#if` branches is shown.
            guard seen.insert(model.name).inserted else { continue }
            classes.append(
                SchemaOutline.Class(
                    model.name, isEmbedded: model.isEmbedded,
                    model.allProperties.map { Self.property($0, model) }))
            for property in model.allProperties {
                storage[model.name, default: [:]][property.name] = Self.storage(
                    of: property.type.value, property.type)
            }
        }
        outline = SchemaOutline(classes.sorted { $0.name < $1.name })
    }

    private static func property(_ property: ModelProperty, _ model: Model) -> SchemaOutline.Property {
        let stored = model.storedName(of: property)
        let type = property.type
        let collection: SchemaOutline.Property.Collection? =
            switch type.collection {
            case .list: .list
            case .set: .set
            case .map: .map
            case .inverse: .inverse
            case nil: nil
            }
        return SchemaOutline.Property(
            property.name, storedName: stored == property.name ? nil : stored, type: name(of: type),
            isOptional: type.isOptional && collection != .inverse, target: type.model?.name,
            collection: collection,
            origin: property.origin?.name, isPrimaryKey: property.isPrimaryKey, isIndexed: property.isIndexed)
    }

    /// Returns the type of a value as text.
    private static func name(of type: PropertyType) -> String {
        switch type.value {
        case .scalar(let name): name.rawValue
        case .anyValue: "AnyRealmValue"
        case .enumeration(let declaration, _): declaration.name
        case .model(let model): model.name
        case .custom, .unsupported, .unknown: type.valueText.isEmpty ? "?" : type.valueText
        }
    }

    private static func storage(of value: PropertyType.Value, _ type: PropertyType) -> String {
        if case .enumeration(_, let raw?) = value { return raw }
        return name(of: type)
    }
}

/// The sources of a package in a revision of its repository.
struct Revision {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let name: String
    /// A directory of the repository.
    let package: URL

    /// Returns the Swift files in some directories, with their contents.
    func sources(in directories: [String]) throws -> [SourceText] {
        let root = try git(["rev-parse", "--show-toplevel"]).trimmingCharacters(in: .newlines)
        let prefixes = try directories.map { try path(of: $0, in: root) }
        let list = try git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", name])
        let files = list.split(separator: "\0").map(String.init).filter { path in
            path.hasSuffix(".swift") && prefixes.contains { $0.isEmpty || path.hasPrefix($0 + "/") }
        }
        return try files.map { path in
            SourceText(path: "\(name):\(path)", try git(["show", "\(name):\(path)"]))
        }
    }

    /// Returns the path of a directory from the root of the repository.
    private func path(of directory: String, in root: String) throws -> String {
        func canonical(_ path: String) -> String {
            URL(fileURLWithPath: path).resolvingSymlinksInPath().standardized.path
        }
        let (root, directory) = (canonical(root), canonical(directory))
        if directory == root { return "" }
        guard directory.hasPrefix(root + "/") else {
            throw Failure(description: "'\(directory)' is not in the repository at '\(root)'")
        }
        return String(directory.dropFirst(root.count + 1))
    }

    private func git(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git", "-C", package.path] + arguments
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: complaint, as: UTF8.self).trimmingCharacters(
                in: .whitespacesAndNewlines)
            throw Failure(description: "git \(arguments.joined(separator: " ")): \(text)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
