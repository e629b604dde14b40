import KivoRealmFiles

/// The names in a realm of the properties of a file's class.
///
/// Names in a realm are not empty and contain `_` in place of `.`.
package struct StoredNames {
    /// The names, in the order of the table's properties.
    package let names: [String]

    /// The names for the properties of a table.
    package init(_ table: RealmFile.Table) {
        var taken = Set(table.properties.map(\.name))
        names = table.properties.map { property in
            if !property.name.isEmpty, !property.name.utf8.contains(UInt8(ascii: ".")) {
                return property.name
            }
            var name = property.name.isEmpty ? "_" : String(property.name.map { $0 == "." ? "_" : $0 })
            while !taken.insert(name).inserted { name += "_" }
            return name
        }
    }
}
