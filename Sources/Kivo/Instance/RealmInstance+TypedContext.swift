import KivoEngine

extension RealmInstance {
    /// Returns the context of the program's class of a table, whether or not the realm has used the class. Returns nil if there
    /// is no such class, and in a migration, which has no objects of such classes.
    func typedContext(_ table: TableID) -> TableContext? {
        if migration != nil { return nil }
        if let known = context(table: table), !known.isDynamic { return known }
        let classCount = Registry.classCount
        if untypedTables.withLock({ $0.contains(table, of: classCount) }) { return nil }
        if let found = findTypedContext(table) { return found }
        untypedTables.withLock { $0.insert(table, of: classCount) }
        return nil
    }

    private func findTypedContext(_ table: TableID) -> TableContext? {
        let spec = catalog.tables[table]
        guard let type = Registry.info(of: spec)?.type ?? Registry.type(storedAs: spec.name, configuration),
            configuration.objectTypes?.contains(where: { $0 == type }) ?? type.shouldIncludeInDefaultSchema(),
            // The file may be from a program in which this name belongs to another class.
            catalog.takes(Registry.info(type))
        else { return nil }
        let found = context(type)
        // A file may have the class under another name.
        return found.table == table ? found : nil
    }
}

/// The tables for which no class of the program was found. The search takes long, and only a class that the program uses for the
/// first time can change its result: columns of tables stay as they are.
struct UntypedTables {
    /// The number of classes that the program had used.
    private var classCount = 0
    private var tables: Set<TableID> = []

    func contains(_ table: TableID, of classCount: Int) -> Bool {
        classCount == self.classCount && tables.contains(table)
    }

    mutating func insert(_ table: TableID, of classCount: Int) {
        if classCount != self.classCount { (self.classCount, tables) = (classCount, []) }
        tables.insert(table)
    }
}
