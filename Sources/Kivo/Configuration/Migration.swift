/// The migration of a file's data to the classes that the program has now. A ``MigrationBlock`` is called with it.
///
/// When the block is called, every class has its new properties. Those that the file has under the same name and of the same type
/// have their values; all others have the default of their type (zero, empty, nil). The old values are read through the old
/// objects of ``enumerateObjects(ofType:_:)``. Property names of new objects are those of the program, see
/// ``ObjectBase/propertiesMapping()``; old objects take the stored names as well.
///
/// Belongs to the thread that opens the realm, and cannot be used after its block has returned.
public final class Migration {
    /// The migration run that this gives access to.
    let work: AnyObject
    /// The classes of the file before the migration, whether or not the program declares them, with their stored names.
    public let oldSchema: Schema
    /// The classes of the program to which the file is migrated. Without `objectTypes`, these are all its classes, like those of
    /// ``Realm/schema``.
    public let newSchema: Schema

    init(_ work: AnyObject, old: Schema, new: Schema) {
        self.work = work
        oldSchema = old
        newSchema = new
    }
}

/// A closure that migrates the data of a file with a lower ``Realm/Configuration/schemaVersion`` than the program's.
///
/// Called once, with the version of the file, by the thread that opens it, before the initializer of the realm returns. Its
/// changes, and those of the classes, are one commit: if it fails, or the process ends before, the file is unchanged.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void
