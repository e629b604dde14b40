public import Foundation
public import Kivo
public import KivoRealmFiles

extension Realm {
    /// Imports the objects of a `.realm` file into this realm.
    ///
    ///     let report = try realm.importObjects(fromRealmFile: url)
    ///     print(report)
    ///
    /// The file is read and not changed. Its properties are matched by their stored names, including those of
    /// `propertiesMapping()`. A property that is missing from the file gets its default. Numbers convert to other numeric types
    /// if the value stays exactly the same. Values that do not fit are passed to `convert`, and listed in the report if it
    /// returns no other value.
    ///
    /// Primary keys, links (including cycles), the order of lists, embedded objects and values of any type are preserved. A date
    /// has the precision of `Date`; decimal numbers lose trailing zeros.
    ///
    /// Reading is bounded for any file contents: a damaged file causes an error.
    ///
    /// - Parameters:
    ///   - url: The file. While the app that writes it may be running, pass a copy.
    ///   - options: The classes to import, the treatment of existing objects, and the number of transactions.
    ///   - convert: Converts values that do not fit. It may read the realm, but not write to it.
    ///   - progress: Called after each batch. An error that it throws ends the import; in one transaction, the realm then stays
    ///     unchanged.
    /// - Returns: A report of the imported and the omitted objects and values.
    /// - Throws: `RealmFileError` if the file cannot be read or is damaged. `Realm.Error` if the data cannot be written, if a
    ///   primary key exists already and `options` forbids it, or if no class of the file is known. Errors of the closures are
    ///   rethrown.
    @discardableResult
    public func importObjects(
        fromRealmFile url: URL, options: RealmFileImport.Options = RealmFileImport.Options(),
        convert: RealmFileImport.Converter? = nil,
        progress: ((RealmFileImport.Progress) throws -> Void)? = nil
    ) throws -> RealmFileImport.Report {
        try importObjects(
            fromRealmFile: RealmFile(url: url), options: options, convert: convert, progress: progress)
    }

    /// Imports the objects of an open `.realm` file into this realm, as if its URL had been given.
    ///
    /// - Throws: The errors of the import by URL.
    @discardableResult
    public func importObjects(
        fromRealmFile file: RealmFile, options: RealmFileImport.Options = RealmFileImport.Options(),
        convert: RealmFileImport.Converter? = nil,
        progress: ((RealmFileImport.Progress) throws -> Void)? = nil
    ) throws -> RealmFileImport.Report {
        let importer = try Importer(self, file, options, convert, progress)
        return try importer.run()
    }
}
