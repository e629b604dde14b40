import KivoEngine

extension Catalog {
    /// Adds a class and all that it links to; finds them if they are there. Throws a schema mismatch if a table of
    /// the name exists and differs.
    mutating func register(_ info: ClassInfo) throws {
        let closure = Registry.closure(info.type)
        if closure.allSatisfy({ isDefined($0) }) {
            for info in closure { try check(info) }
            return
        }
        var undefined: [(info: ClassInfo, table: TableID)] = []
        for info in closure where !isDefined(info) {
            let table = self.table(named: info.name) ?? declare(info.name, isEmbedded: info.isEmbedded)
            undefined.append((info, table))
        }
        for (info, table) in undefined {
            info.checkOrigins()
            define(table, columns: info.columns { type in self.table(named: type.className())! })
        }
        for info in closure { try check(info) }
    }

    private func isDefined(_ info: ClassInfo) -> Bool {
        guard let table = table(named: info.name) else { return false }
        return !tables[table].columns.isEmpty || info.properties.allSatisfy { !$0.isStored }
    }

    /// Throws unless the class and the table of its name say the same.
    private func check(_ info: ClassInfo) throws {
        let table = tables[self.table(named: info.name)!]
        let columns = info.columns { self.table(named: $0.className()) ?? -1 }
        if table.columns == columns, table.isEmbedded == info.isEmbedded { return }
        throw Realm.Error(.schemaMismatch, mismatch(info, columns, table))
    }

    private func mismatch(_ info: ClassInfo, _ columns: [ColumnSpec], _ table: TableSpec) -> String {
        let declared = Set(columns.map(\.name))
        let stored = Set(table.columns.map(\.name))
        let (added, removed) = (declared.subtracting(stored).sorted(), stored.subtracting(declared).sorted())
        var differences: [String] = []
        if !added.isEmpty { differences.append("properties were added (\(added.joined(separator: ", ")))") }
        if !removed.isEmpty {
            differences.append("properties were removed (\(removed.joined(separator: ", ")))")
        }
        for column in columns {
            guard let other = table.columns.first(where: { $0.name == column.name }), other != column else {
                continue
            }
            differences.append("property '\(column.name)' changed its type or attributes")
        }
        if differences.isEmpty { differences.append("the order of its properties changed") }
        return "Class '\(info.name)' differs from the realm's: \(differences.joined(separator: "; "))."
    }
}
