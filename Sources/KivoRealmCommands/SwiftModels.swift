import Foundation
import Kivo
import KivoRealmFiles
import KivoRealmImport

/// A writer of a file's classes as Swift source.
///
/// The classes have the same storage as the file's, so that a realm with its objects opens with them. Names that Swift or Kivo
/// does not allow are replaced, and `propertiesMapping()` maps them to the stored names.
package struct SwiftModels {
    private let classes: FileClasses
    private let names: Set<String>
    private var lines: [String] = []

    /// Prepares the classes of a file.
    package init(_ schema: RealmFile.Schema) {
        classes = FileClasses(schema)
        names = Set(classes.classes.map(\.definition.name))
    }

    /// Returns the source.
    package static func source(_ schema: RealmFile.Schema) -> String {
        var models = SwiftModels(schema)
        models.write()
        return models.lines.joined(separator: "\n") + "\n"
    }

    private mutating func write() {
        lines = ["import Foundation", "import Kivo"]
        for storable in classes.classes { write(storable) }
        for (table, reason) in classes.refused {
            lines += ["", "// Class \(SwiftName.comment(table.className)) is left out: \(reason)."]
        }
    }

    private mutating func write(_ storable: FileClasses.StorableClass) {
        let definition = storable.definition
        lines.append("")
        for refused in classes.refusedProperties where refused.className == definition.name {
            lines.append("// Property \(SwiftName.comment(refused.name)) is left out: \(refused.reason).")
        }
        let base = qualified(definition.isEmbedded ? "EmbeddedObject" : "Object")
        lines.append("class \(SwiftName.ofClass(definition.name)): \(base) {")
        var taken = Set(definition.properties.map(\.name))
        var mapping: [(name: String, stored: String)] = []
        for property in definition.properties {
            var name = SwiftName.ofProperty(property.name)
            if name == nil {
                var other = SwiftName.made(of: property.name)
                while !taken.insert(other).inserted { other += "_" }
                mapping.append((other, property.name))
                name = other
            }
            lines.append(
                "    @Persisted\(attributes(property)) var \(name!): \(type(property))")
        }
        if !mapping.isEmpty {
            let entries = mapping.map { "\(SwiftName.literal($0.name)): \(SwiftName.literal($0.stored))" }
            lines += [
                "", "    override class func propertiesMapping() -> [String: String] {",
                "        [\(entries.joined(separator: ", "))]", "    }",
            ]
        }
        lines.append("}")
    }

    private func attributes(_ property: ClassDefinition.Property) -> String {
        property.isPrimaryKey ? "(primaryKey: true)" : property.isIndexed ? "(indexed: true)" : ""
    }

    private func type(_ property: ClassDefinition.Property) -> String {
        let element =
            (property.target.map(SwiftName.ofClass)
                ?? qualified(property.scalar!.name, property.scalar!.module))
            + (property.isOptional ? "?" : "")
        return switch property.collection {
        case .list: qualified("List") + "<\(element)>"
        case .set: qualified("MutableSet") + "<\(element)>"
        case .map: qualified("Map") + "<\(qualified("String", "Swift")), \(element)>"
        case .none, .linkingObjects: element
        }
    }

    /// Returns the name of a type, with its module if a class of the file has the same name.
    private func qualified(_ name: String, _ module: String = "Kivo") -> String {
        names.contains(name) ? "\(module).\(name)" : name
    }
}
