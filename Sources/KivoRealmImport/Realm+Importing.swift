public import Foundation
public import Kivo
public import KivoRealmFiles

extension Realm {
    /// Brings the objects of a `.realm` file into this realm.
    ///
    ///     let report = try realm.importObjects(fromRealmFile: url)
    ///     print(report)
    ///
    /// The file is read and not changed. Its properties go to those of the same stored name (`propertiesMapping()` counts). A
    /// property that only the class has gets its default; numbers become numbers of other types if they are the same number;
    /// what does not fit is given to `convert`, and named in the report if that has no other form of it. Primary keys, links
    /// (in circles too), the order of lists, embedded objects and values of any type stay as they are. A date has the
    /// precision of `Date`; decimal numbers lose zeros at their end.
    ///
    /// Reading is bounded whatever the file holds: a damaged file ends in an error.
    ///
    /// - Parameters:
    ///   - url: The file. While the application that writes it may be running, give a copy.
    ///   - options: Which classes, what to do about objects that are there, and in how many transactions.
    ///   - convert: Gives values that do not fit another form. It may read the realm, but not write.
    ///   - progress: Told after each batch. What it throws ends the import; in one transaction, nothing is in the realm then.
    /// - Returns: What was brought along, and what was not.
    /// - Throws: `RealmFileError` if the file cannot be read or is damaged; `Realm.Error` if the data cannot be written, if a primary key is
    ///   there that should not be, or if no class of the file is known; what the blocks throw.
    @discardableResult
    public func importObjects(
        fromRealmFile url: URL, options: RealmFileImport.Options = RealmFileImport.Options(),
        convert: RealmFileImport.Converter? = nil,
        progress: ((RealmFileImport.Progress) throws -> Void)? = nil
    ) throws -> RealmFileImport.Report {
        try importObjects(
            fromRealmFile: RealmFile(url: url), options: options, convert: convert, progress: progress)
    }

    /// Brings the objects of an open `.realm` file into this realm, as if its URL had been given.
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
