import Foundation
import KivoEngine
import KivoJournal

extension Realm {
    /// The result of the verification of a file.
    public typealias VerificationReport = KivoJournal.VerificationReport

    /// Checks a whole file. Verifies the checksums of all records and of all pages of the newest checkpoint, and that these are
    /// valid and consistent. Also verifies that the commits after the checkpoint can be replayed.
    ///
    ///     let report = try Realm.verify(fileURL: url)
    ///     if !report.isIntact { print(report) }
    ///
    /// The classes need not be known to the program. The file is not changed. Can be called on any thread.
    ///
    /// Primary keys that are found by their order are compared with each other. Other indexes are compared with the values of the
    /// objects if `indexes` says so; ``salvage(contentsOf:to:)`` makes a file with new ones. The verification does not check that
    /// links lead to objects.
    ///
    /// While another process writes the file, the verification covers its commits up to the beginning.
    ///
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - indexes: Whether each object is looked up by each of its indexed values, and primary keys are unique. This takes a
    ///     multiple of the time.
    /// - Throws: ``Realm/Error`` if the file cannot be read, is no realm or has a newer format. Damage is reported, not thrown:
    ///   see also ``Realm/Configuration/verifiesOnOpening``.
    /// - Complexity: O(bytes of the file). Memory is used for the commits after the newest checkpoint and the data that they
    ///   change.
    public static func verify(fileURL: URL, indexes: Bool = false) throws -> VerificationReport {
        let url = try FileLocation.resolve(fileURL)
        do {
            // The file itself if the path is a symbolic link: its locks are beside it.
            let path = String(decoding: FileSystem.canonicalPath(url.path), as: UTF8.self)
            let (device, fixed) = try openFixed(path)
            defer { device.close() }
            var report = try verify(fixed, indexes: indexes)
            // The size includes the space that was allocated in advance.
            report.byteCount = try device.size()
            return report
        } catch {
            throw Realm.Error.wrapping(error, url)
        }
    }

    /// Opens a file in its current state. Other processes may go on writing it, and may replace it with another file.
    private static func openFixed(_ path: String) throws -> (FileDevice, FixedDevice) {
        let end = Date() + 10
        while true {
            do {
                let device = try FileDevice.open(path: path, readOnly: true, isAlone: true)
                let fixed = try FixedDevice.whole(device)
                try device.shareLock()
                return (device, fixed)
            } catch JournalError.alreadyOpen {}
            do {
                let device = try FileDevice.open(path: path, readOnly: true, isShared: true)
                return (device, try FixedDevice.beside(device))
            } catch JournalError.alreadyOpen where Date() < end {
                // A compaction opens the file exclusively for a moment, and so does another verification.
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
    }

    /// Checks all contents of a device.
    package static func verify(_ device: any JournalDevice, indexes: Bool = false) throws
        -> VerificationReport
    {
        var report = try JournalVerification.verify(device)
        guard report.isIntact else { return report }
        let log = StoreLog(JournalLog(device, readOnly: true), readOnly: true, schemaVersion: .max)
        defer { log.close() }
        var replay = Replay(Heap())
        // Discarded before the log is closed: nodes refer to its pages.
        defer { replay.discard() }
        do {
            try log.load(into: &replay)
            for (property, count) in log.removedElements.sorted(by: { $0.key < $1.key }) {
                report.note(
                    VerificationReport.Flaw(
                        offset: 0,
                        reason:
                            "\(count) elements of '\(property)' are nil; opening the file leaves them out",
                        isHarmless: true))
            }
            if indexes {
                replay.chain.headSnapshot.verifyIndexes(replay.catalog) {
                    report.note(VerificationReport.Flaw(offset: 0, reason: $0, isHarmless: false))
                }
            }
        } catch JournalError.corrupt(let offset, let reason) {
            report.note(VerificationReport.Flaw(offset: offset, reason: reason, isHarmless: false))
        }
        return report
    }
}

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
        var replay = Replay(Heap())
        defer { replay.discard() }
        var found: (report: SalvageReport, schemaVersion: UInt64)
        do {
            let device = try openAlone(source)
            defer { device.close() }
            found = try JournalSalvage.read(device, into: &replay)
        } catch {
            throw Realm.Error.wrapping(error, source)
        }
        for table in replay.catalog.tables where table.isClass {
            let count = replay.chain.headSnapshot.table(replay.catalog.table(named: table.name)!).count
            if count > 0 { found.report.objectCounts[table.name] = count }
        }
        do {
            try write(replay, schemaVersion: found.schemaVersion, to: destination.path, replacing: false)
        } catch {
            throw Realm.Error.wrapping(error, destination)
        }
        return found.report
    }

    /// Replaces a file by one with the same objects and new indexes, without the history. It is there in its old or its new form,
    /// whatever happens meanwhile. All data are in memory for a while.
    ///
    /// - Throws: ``Realm/Error`` if the file is open or damaged. It is unchanged then.
    package static func reindex(fileURL: URL) throws {
        let url = try FileLocation.resolve(fileURL)
        let path = String(decoding: FileSystem.canonicalPath(url.path), as: UTF8.self)
        var replay = Replay(Heap())
        defer { replay.discard() }
        do {
            // Held until the new file is in place.
            let device = try openAlone(URL(fileURLWithPath: path))
            defer { device.close() }
            let found = try JournalSalvage.read(device, into: &replay)
            guard found.report.isComplete else {
                throw Realm.Error(
                    .invalidDatabase, "Indexes are not enough: the file is damaged, and has to be salvaged.",
                    fileURL: url)
            }
            try write(replay, schemaVersion: found.schemaVersion, to: path, replacing: true)
        } catch {
            throw Realm.Error.wrapping(error, url)
        }
    }

    /// Opens a file that no process uses.
    private static func openAlone(_ url: URL) throws -> FileDevice {
        // A realm of this process that was just released closes its file first. If it stays open, opening the device says so.
        _ = ClosingWait.end(of: StoreEntry.of(Configuration(fileURL: url).identity))
        return try FileDevice.open(path: url.path, readOnly: true, isAlone: true)
    }

    private static func write(
        _ replay: Replay, schemaVersion: UInt64, to path: String, replacing: Bool
    ) throws {
        try JournalCopy.write(
            replay.chain.headSnapshot, replay.catalog, schemaVersion: schemaVersion, to: path,
            replacing: replacing)
    }
}
