import Foundation
import KivoEngine

/// The classes that one realm instance has used, each with its context. Owned by the instance, and confined with it.
///
/// A frozen instance is read on many threads, so its lookups take a lock. The lock is recursive because one lookup may need another.
final class ClassContexts {
    private unowned(unsafe) var instance: RealmInstance!
    private let reader: UnsafeMutablePointer<ReaderState>
    /// The contexts of the program's classes, by class and by table.
    private var declared: [ObjectIdentifier: TableContext] = [:]
    private var declaredByTable: [TableID: TableContext] = [:]
    /// The contexts of dynamic objects.
    private var dynamic: [TableID: TableContext] = [:]
    /// The tables for which no class of the program was found, and the number of classes that the program had used then. The
    /// search takes long, and only the first use of another class can change its result: columns of tables stay as they are.
    private var undeclared: (tables: Set<TableID>, classCount: Int) = ([], 0)
    /// The context that was returned last, which the next lookup often needs again.
    @exclusivity(unchecked) private var last: TableContext?
    private let lock = NSRecursiveLock()
    /// The closure that describes the classes of tables in a migration, or nil outside of one.
    private let describe: ((TableID, Catalog) -> ClassInfo)?

    init(
        _ reader: UnsafeMutablePointer<ReaderState>, describing describe: ((TableID, Catalog) -> ClassInfo)?
    ) {
        self.reader = reader
        self.describe = describe
    }

    /// Called once, by the instance that owns these contexts.
    func attach(_ instance: RealmInstance) { self.instance = instance }

    @inline(__always)
    private func lookUp<Found>(_ body: () -> Found) -> Found {
        if !instance.isFrozen { return body() }
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    // MARK: Declared classes

    /// Returns the context of a class. Traps with a message if the class cannot be in this realm.
    func context(of type: ObjectBase.Type) -> TableContext {
        // A frozen instance belongs to no thread.
        if reader.pointee.thread == ThreadIdentity.currentNumber, let last, last.info.type == type {
            return last
        }
        return findContext(of: type)
    }

    @inline(never)
    private func findContext(of type: ObjectBase.Type) -> TableContext {
        if !instance.isFrozen { instance.checkConfinement() }
        return lookUp {
            let context = declared[ObjectIdentifier(type)] ?? add(type)
            last = context
            return context
        }
    }

    private func add(_ type: ObjectBase.Type) -> TableContext {
        if Registry.isBase(type), type != DynamicObject.self {
            trap(
                "A realm has no objects of the base class '\(type)' itself: name a class that is derived from it."
            )
        }
        let info = Registry.info(type)
        checkAllowed(type, info)
        do {
            instance.adopt(try instance.store.register([info]))
        } catch {
            trap("\(error)")
        }
        let context = TableContext(instance, info, instance.catalog.table(named: info.name)!)
        declared[ObjectIdentifier(type)] = context
        declaredByTable[context.table] = context
        return context
    }

    private func checkAllowed(_ type: ObjectBase.Type, _ info: ClassInfo) {
        let isContainer = info.isEmbedded && AnyContainer(rawValue: info.name) != nil
        if instance.migration != nil, !isContainer {
            trap(
                """
                Objects of class '\(info.name)' cannot be used in a migration, where all objects are dynamic: make one with \
                'migration.create("\(info.name)", value:)'.
                """)
        }
        if type == DynamicObject.self {
            trap(
                """
                'DynamicObject' is no class of its own: name one, as in 'realm.dynamicObjects("Dog")', or create an object by \
                'dynamicCreate'.
                """)
        }
        guard let types = instance.configuration.objectTypes else {
            if type.shouldIncludeInDefaultSchema() { return }
            trap(
                """
                Class '\(info.name)' says by 'shouldIncludeInDefaultSchema()' that a realm has to be told of it: name it in \
                the configuration's 'objectTypes'.
                """)
        }
        if !isContainer, !types.contains(where: { $0 == type }) {
            trap(
                """
                Class '\(info.name)' is not among the 'objectTypes' of the realm's configuration: add it there to \
                use it in this realm.
                """)
        }
    }

    /// Returns the context of a class that another instance of the realm described.
    func context(of info: ClassInfo) -> TableContext {
        if !info.isDynamic { return context(of: info.type) }
        guard let context = dynamicContext(named: info.name) else {
            trap("The realm has no class '\(info.name)'.")
        }
        return context
    }

    /// Returns the context of the program's class of a table, whether or not the realm has used the class. Returns nil if there
    /// is no such class, and in a migration, which has no objects of such classes.
    func declaredContext(of table: TableID) -> TableContext? {
        if instance.migration != nil { return nil }
        return lookUp {
            if let known = declaredByTable[table] { return known }
            let classCount = Registry.classCount
            if undeclared.classCount != classCount { undeclared = ([], classCount) }
            if undeclared.tables.contains(table) { return nil }
            if let found = findDeclared(table) { return found }
            undeclared.tables.insert(table)
            return nil
        }
    }

    private func findDeclared(_ table: TableID) -> TableContext? {
        let (catalog, allowed) = (instance.catalog, instance.configuration.objectTypes)
        let spec = catalog.tables[table]
        guard let type = Registry.info(of: spec)?.type ?? Registry.type(storedAs: spec.name, among: allowed),
            allowed?.contains(where: { $0 == type }) ?? type.shouldIncludeInDefaultSchema(),
            // The file may be from a program in which this name belongs to another class.
            catalog.takes(Registry.info(type))
        else { return nil }
        let found = context(of: type)
        // A file may have the class under another name.
        return found.table == table ? found : nil
    }

    /// Returns the context of a table whose class the program has used in this realm, by name or otherwise.
    func usedContext(of table: TableID) -> TableContext? {
        lookUp { declaredByTable[table] ?? dynamic[table] }
    }

    // MARK: Dynamic objects

    /// Returns the context of the dynamic objects of a table.
    func dynamicContext(of table: TableID) -> TableContext {
        if !instance.isFrozen { instance.checkConfinement() }
        return lookUp {
            if let known = dynamic[table] { return known }
            let context = TableContext(instance, makeDynamicInfo(table), table)
            dynamic[table] = context
            return context
        }
    }

    private func makeDynamicInfo(_ table: TableID) -> ClassInfo {
        let catalog = instance.catalog
        if let describe { return describe(table, catalog) }
        let declared = declaredByTable[table]?.info ?? Registry.info(of: catalog.tables[table])
        return ClassInfo(table, in: catalog, declared: declared)
    }

    /// Returns the context of dynamic objects by class name, or nil if the class is neither in the realm nor declared by the
    /// program.
    func dynamicContext(named name: String) -> TableContext? {
        instance.checkConfinement()
        func table() -> TableID? {
            let catalog = instance.catalog
            return catalog.table(named: name).flatMap { table in
                let spec = catalog.tables[table]
                return spec.isDefined && !spec.isInternal ? table : nil
            }
        }
        if let table = table() { return dynamicContext(of: table) }
        instance.updateCatalog()
        if let table = table() { return dynamicContext(of: table) }
        if instance.migration != nil { return nil }
        guard let type = Registry.type(storedAs: name, among: instance.configuration.objectTypes) else {
            return nil
        }
        return dynamicContext(of: context(of: type).table)
    }
}
