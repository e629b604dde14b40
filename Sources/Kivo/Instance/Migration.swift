/// Brings the data of a file to the classes that the program has now; a ``MigrationBlock`` is called with it.
///
/// When the block is called, every class has its new properties: those that the file has under the same name and of the same
/// type have their values, all others the default of their type (zero, empty, nil). What was there before is read through the
/// old objects of ``enumerateObjects(ofType:_:)``. Property names are those of the program for new objects, see
/// ``ObjectBase/propertiesMapping()``; old objects take the stored ones as well.
///
/// Belongs to the thread that opens the realm, and is of no use after its block has returned.
public final class Migration {
    /// The run that this is the face of.
    let work: AnyObject
    /// The classes of the file as it was, whether or not the program declares them, with the names that are stored.
    public let oldSchema: Schema
    /// The classes of the program that are brought together with the file.
    public let newSchema: Schema

    init(_ work: AnyObject, old: Schema, new: Schema) {
        self.work = work
        oldSchema = old
        newSchema = new
    }
}

/// Says what becomes of the data of a file with a lower ``Realm/Configuration/schemaVersion`` than the program's.
///
/// Called once, with the version of the file, by the thread that opens it, before the initializer of the realm returns. What
/// it does and that the classes have changed is one commit: if it fails, or the process ends before, the file is as it was.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void
