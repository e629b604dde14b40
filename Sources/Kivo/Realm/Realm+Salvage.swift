import Foundation
import KivoEngine
import KivoJournal

extension Realm {
    /// The report of a salvage: the data that was found in a damaged file, and the data that is missing.
    public typealias SalvageReport = KivoJournal.SalvageReport

    /// Copies the intact data of a damaged file into a new one: all commits before damage, and those parts of later commits that
    /// do not depend on missing data. The damaged file is not changed.
    ///
    ///     let report = try Realm.salvage(contentsOf: damaged, to: rescued)
    ///     if !report.isComplete { print(report) }
    ///
    /// The classes need not be known to the program. All data are in memory for a while. Can be called on any thread. The new
    /// file is complete or does not exist, and opens immediately.
    /// - Parameters:
    ///   - source: The damaged file, which must not be open for writing.
    ///   - destination: A file that does not exist yet.
    /// - Returns: A report of the data that were copied, and of missing data.
    /// - Throws: ``Realm/Error`` if the source cannot be read, is no realm, or has lost both copies of its header; or if the
    ///   destination exists or cannot be written. No new file is created then.
    /// - Complexity: O(bytes of the file).
    @discardableResult
    public static func salvage(contentsOf source: URL, to destination: URL) throws -> SalvageReport {
        let source = try FileLocation.resolve(source)
        let destination = try FileLocation.resolve(destination)
        let heap = Heap()
        var replay = Replay(heap)
        defer { replay.discard() }
        var found: (report: SalvageReport, schemaVersion: UInt64)
        do {
            let device = try FileDevice.open(path: source.path, readOnly: true, isAlone: true)
            defer { device.close() }
            found = try JournalSalvage.read(device, into: &replay)
        } catch {
            throw Realm.Error.wrapping(error, source)
        }
        for table in replay.catalog.tables where !table.isDerived && table.container == nil {
            let count = replay.chain.headSnapshot.table(replay.catalog.table(named: table.name)!).count
            if count > 0 { found.report.objectCounts[table.name] = count }
        }
        try write(replay, schemaVersion: found.schemaVersion, to: destination)
        return found.report
    }

    private static func write(_ replay: Replay, schemaVersion: UInt64, to destination: URL) throws {
        do {
            try JournalCopy.write(
                replay.chain.headSnapshot, replay.catalog, schemaVersion: schemaVersion, to: destination.path,
                replacing: false)
        } catch {
            throw Realm.Error.wrapping(error, destination)
        }
    }
}
