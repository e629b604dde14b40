import KivoEngine

extension Catalog {
    /// Adds a class and all that it links to; finds them if they are there. Throws if a table of one of the names exists and
    /// differs; the catalog is then as it was.
    mutating func register(_ info: ClassInfo) throws(SchemaMismatch) { try register([info]) }

    /// Adds classes and all that they link to; see ``register(_:)-(ClassInfo)``. All differences are thrown at once.
    mutating func register(_ infos: [ClassInfo]) throws(SchemaMismatch) {
        let closure = Registry.closure(infos)
        var next = self
        var isChanged = next.define(closure)
        let differences = closure.compactMap { info in
            let columns = info.columns { next.table(named: $0.className())! }
            return next.difference(
                next.table(named: info.name)!, columns: columns, isEmbedded: info.isEmbedded)
        }
        if !differences.isEmpty { throw SchemaMismatch(differences) }
        // The file may be of another program, or of an earlier one that had the class elsewhere.
        var named: Set<String> = []
        for info in closure where named.insert(info.name).inserted {
            if next.setTypeName(info.qualifiedName, of: next.table(named: info.name)!) { isChanged = true }
        }
        if isChanged { self = next }
    }

    /// Adds those of some classes that have no table; returns whether there were such. What they link to is among them.
    mutating func define(_ closure: [ClassInfo]) -> Bool {
        var undefined: [(info: ClassInfo, table: TableID)] = []
        for info in closure where !isDefined(info) {
            let table = self.table(named: info.name) ?? declare(info.name, isEmbedded: info.isEmbedded)
            // Several classes can share a table.
            if !undefined.contains(where: { $0.table == table }) { undefined.append((info, table)) }
        }
        for (info, table) in undefined {
            info.checkOrigins()
            var columns = info.columns { type in self.table(named: type.className())! }
            // What a migration has yet to make embedded does not belong to what links to it.
            for index in columns.indices {
                columns[index].isOwning = columns[index].target.map { tables[$0].isEmbedded } ?? false
            }
            define(table, columns: columns, typeName: info.qualifiedName)
        }
        return !undefined.isEmpty
    }

    /// Whether a class, and those that it leads to, differ in nothing from the tables of their names. O(classes).
    func takes(_ info: ClassInfo) -> Bool {
        var copy = self
        do {
            try copy.register(info)
            return true
        } catch {
            return false
        }
    }

    /// Whether a class has a table whose columns are known.
    func isDefined(_ info: ClassInfo) -> Bool {
        table(named: info.name).map { tables[$0].isDefined } ?? false
    }
}
