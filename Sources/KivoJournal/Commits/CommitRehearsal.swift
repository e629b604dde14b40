#if DEBUG
import Foundation
import KivoEngine

/// A test replay of an encoded commit on the snapshot before it, as at the next opening. The result is compared with the commit.
///
/// Debug builds rehearse each commit before it is appended to the log, which takes about twice the time and memory. The
/// environment variable `KIVO_REHEARSE=0` prevents that.
struct CommitRehearsal: CommitReplayer {
    static let isOn = ProcessInfo.processInfo.environment["KIVO_REHEARSE"] != "0"

    private let comparison: CommitComparison
    private(set) var catalog: Catalog
    private var difference: String?

    private init(_ comparison: CommitComparison) {
        self.comparison = comparison
        catalog = comparison.catalog
    }

    /// Traps if a commit cannot be read, or is read as a different one.
    static func check(_ payload: [UInt8], _ comparison: CommitComparison, numbers: TableNumbers) {
        guard isOn else { return }
        do {
            if let difference = try difference(payload, comparison, numbers: numbers) {
                fail("reads as another one: \(difference)")
            }
        } catch {
            fail("cannot be read: \(error)")
        }
    }

    /// Returns a description of how an encoded commit differs from the original; nil if it does not. Throws if it cannot be read.
    static func difference(
        _ payload: [UInt8], _ comparison: CommitComparison, numbers: TableNumbers
    ) throws -> String? {
        var rehearsal = CommitRehearsal(comparison)
        var decoder = CommitDecoder(restoring: numbers, comparison.catalog)
        try payload.withUnsafeBytes { try decoder.replay($0, into: &rehearsal) }
        // The stamp is added later.
        if decoder.stamp != nil { return "it is longer" }
        return rehearsal.difference
    }

    /// Traps before a commit is acknowledged that the next opening would reject or misread.
    static func fail(_ what: String) -> Never {
        fatalError(
            """
            A commit that was just encoded \(what). Nothing of it was stored. This is an error in Kivo: please report it. \
            Debug builds look for it in each commit, unless the environment says KIVO_REHEARSE=0.
            """)
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
