import Foundation
import KivoEngine
import KivoJournal

extension Realm {
    /// What a verification found in a file.
    public typealias VerificationReport = KivoJournal.VerificationReport

    /// Checks all of a file: the checksums of all records and of all pages that the newest checkpoint leads to, that they make
    /// sense and fit together, and that the commits after the checkpoint can be carried out.
    ///
    ///     let report = try Realm.verify(fileURL: url)
    ///     if !report.isIntact { print(report) }
    ///
    /// The classes need not be known to the program. The file is left as it is. O(bytes of the file); memory is taken for the
    /// commits after the newest checkpoint and what they concern. Can be called on any thread.
    ///
    /// That links lead to objects and that indexes have the values of the objects is not compared.
    ///
    /// While another process writes the file, what it had committed when the verification began is checked.
    ///
    /// - Parameter fileURL: The file.
    /// - Throws: ``Realm/Error`` if the file cannot be read, is no realm or has a newer format. Damage is not thrown but
    ///   reported: see also ``Realm/Configuration/verifiesOnOpening``.
    public static func verify(fileURL: URL) throws -> VerificationReport {
        let url = try FileLocation.resolve(fileURL)
        do {
            // The file itself, should the path be a link: its locks are beside it.
            let path = String(decoding: FilePlacement.canonicalPath(url.path), as: UTF8.self)
            let (device, fixed) = try openFixed(path)
            defer { device.close() }
            var report = try verify(fixed)
            // With what was allocated ahead.
            report.byteCount = try device.size()
            return report
        } catch {
            throw Realm.Error.wrapping(error, url)
        }
    }

    /// A file as it is now: others that write it go on meanwhile, and may put another one in its place.
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
                // A compaction has the file for itself for a moment, and so has another verification.
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
    }

    /// Checks all that a device holds.
    package static func verify(_ device: any JournalDevice) throws -> VerificationReport {
        var report = try JournalVerification.verify(device)
        guard report.isIntact else { return report }
        let log = StoreLog(JournalLog(device, readOnly: true), readOnly: true, schemaVersion: .max)
        defer { log.close() }
        var replay = Replay(Heap())
        // Before the log goes: nodes refer to its pages.
        defer { replay.discard() }
        do {
            try log.replay(into: &replay)
            for (property, count) in log.removedElements.sorted(by: { $0.key < $1.key }) {
                report.note(
                    VerificationReport.Flaw(
                        offset: 0,
                        reason:
                            "\(count) elements of '\(property)' are nil; opening the file leaves them out",
                        isHarmless: true))
            }
        } catch JournalError.corrupt(let offset, let reason) {
            report.note(VerificationReport.Flaw(offset: offset, reason: reason, isHarmless: false))
        }
        return report
    }
}
