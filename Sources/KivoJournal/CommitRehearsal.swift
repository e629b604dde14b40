#if DEBUG
import Foundation
import KivoEngine

/// Carries out an encoded commit on the version before, as the next opening would, and compares what comes of it with what was
/// committed. Debug builds with `KIVO_REHEARSE=1` in the environment do so before a commit is given to the log.
struct CommitRehearsal: CommitReplayer {
    static let isOn = ProcessInfo.processInfo.environment["KIVO_REHEARSE"] == "1"

    private let comparison: CommitComparison
    private(set) var catalog: Catalog
    private var difference: String?

    private init(_ comparison: CommitComparison) {
        self.comparison = comparison
        catalog = comparison.catalog
    }

    /// Ends the program if a commit cannot be read, or reads as another one.
    static func check(_ payload: [UInt8], _ comparison: CommitComparison, numbers: TableNumbers) {
        guard isOn else { return }
        var rehearsal = CommitRehearsal(comparison)
        var decoder = CommitDecoder(restoring: numbers, comparison.catalog)
        do {
            try payload.withUnsafeBytes { try decoder.replay($0, into: &rehearsal) }
        } catch {
            fatalError("a commit that was just encoded cannot be read: \(error)")
        }
        if let difference = rehearsal.difference {
            fatalError("a commit that was just encoded reads as another one: \(difference)")
        }
    }

    var heap: Heap { comparison.heap }

    mutating func restore(_ roots: [TableRoot], of file: Int, _ catalog: Catalog) {
        fatalError("a commit begins with no checkpoint")
    }

    mutating func discard() {}

    mutating func defineTables(_ define: (inout Catalog) throws -> Void) throws {
        try define(&catalog)
        if catalog.tables.count != comparison.catalog.tables.count {
            difference = "it describes other tables"
        }
    }

    mutating func commit(_ body: (WriteTransaction) throws -> Void) throws {
        if let found = try comparison.difference(body) { difference = found }
    }

    func read<Result>(_ body: (Snapshot) throws -> Result) rethrows -> Result { try body(comparison.base) }
}
#endif
