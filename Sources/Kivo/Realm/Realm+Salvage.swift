import Foundation
import KivoEngine
import KivoJournal

extension Realm {
    /// What a salvage found in a damaged file, and what it did not.
    public typealias SalvageReport = KivoJournal.SalvageReport

    /// Copies what is intact in a damaged file into a new one: all commits before damage, and of those after it what does
    /// not build on what is missing. The damaged file is left as it is.
    ///
    ///     let report = try Realm.salvage(contentsOf: damaged, to: rescued)
    ///     if !report.isComplete { print(report) }
    ///
    /// The classes need not be known to the program. O(bytes of the file); everything is in memory for a while. Can be
    /// called on any thread. The new file is there whole or not at all, and opens at once.
    ///
    /// - Parameters:
    ///   - source: The damaged file, which must not be open for writing.
    ///   - destination: A file that does not exist yet.
    /// - Returns: What was carried over, and what is missing.
    /// - Throws: ``Realm/Error`` if the source cannot be read, or is no realm, or has lost both copies of its header; if
    ///   the destination exists or cannot be written. There is no new file then.
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
