import KivoEngine

extension Catalog {
    /// Adds a class and all that it links to; finds them if they are there. Throws if a table of the name exists and
    /// differs; the catalog is then as it was.
    mutating func register(_ info: ClassInfo) throws(SchemaMismatch) {
        let closure = Registry.closure(info.type)
        var next = self
        var undefined: [(info: ClassInfo, table: TableID)] = []
        for info in closure where !isDefined(info) {
            let table = self.table(named: info.name) ?? next.declare(info.name, isEmbedded: info.isEmbedded)
            undefined.append((info, table))
        }
        for (info, table) in undefined {
            info.checkOrigins()
            let columns = info.columns { type in next.table(named: type.className())! }
            next.define(table, columns: columns, typeName: String(reflecting: info.type))
        }
        for info in closure {
            let columns = info.columns { next.table(named: $0.className())! }
            try next.check(
                next.table(named: info.name)!, columns: columns, isEmbedded: info.isEmbedded)
        }
        if !undefined.isEmpty { self = next }
    }

    private func isDefined(_ info: ClassInfo) -> Bool {
        table(named: info.name).map { tables[$0].isDefined } ?? false
    }
}
