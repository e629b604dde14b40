/// The result of the verification of a file.
public struct VerificationReport: Sendable, Equatable {
    /// A difference from what was written.
    public struct Flaw: Sendable, Equatable {
        /// The offset of the flaw, in bytes from the beginning of the file.
        public var offset: Int
        /// The end of the flaw, if it is known.
        public var end: Int?
        /// The description of the flaw.
        public var reason: String
        /// A Boolean value that indicates whether no data are lost: opening repairs the flaw, or the damaged part is never read.
        public var isHarmless: Bool

        /// Creates a flaw at an offset.
        public init(offset: Int, end: Int? = nil, reason: String, isHarmless: Bool) {
            (self.offset, self.end, self.reason, self.isHarmless) = (offset, end, reason, isHarmless)
        }
    }

    /// The first of the flaws that were found. Harmful flaws precede harmless ones; each group is in the order of the file.
    public private(set) var flaws: [Flaw] = []
    /// The number of flaws that were found.
    public private(set) var flawCount = 0
    /// The size of the file in bytes.
    public var byteCount = 0
    /// The number of records that passed their checksums.
    public var recordCount = 0
    /// The number of these records that are commits.
    public var commitCount = 0
    /// The offset of the checkpoint from which the file is opened; nil if there is none.
    public var checkpointOffset: Int?
    /// The number of the checkpoint's pages that passed their checksums.
    public var pageCount = 0
    /// The number of objects in these pages.
    public var objectCount = 0

    /// The maximal number of flaws that are kept, for harmful and harmless ones each.
    private static let mostFlaws = 500

    /// Creates an empty report.
    public init() {}

    /// A Boolean value that indicates whether all necessary parts of the file are intact.
    public var isIntact: Bool { flaws.allSatisfy(\.isHarmless) }

    /// Adds a flaw.
    public mutating func note(_ flaw: Flaw) {
        flawCount += 1
        let kept = flaws.lazy.filter { $0.isHarmless == flaw.isHarmless }.count
        if kept == VerificationReport.mostFlaws { return }
        let index = flaws.firstIndex {
            ($0.isHarmless ? 1 : 0, $0.offset) > (flaw.isHarmless ? 1 : 0, flaw.offset)
        }
        flaws.insert(flaw, at: index ?? flaws.count)
    }

    /// Throws the first flaw, if it is harmful.
    func check() throws(JournalError) {
        guard let first = flaws.first, !first.isHarmless else { return }
        throw .corrupt(offset: first.offset, reason: first.reason)
    }
}

extension VerificationReport: CustomStringConvertible {
    /// The report as text.
    public var description: String {
        var lines = [
            """
            \(byteCount) bytes: \(recordCount) records, \(commitCount) of them commits, \(pageCount) pages with \
            \(objectCount) objects.
            """
        ]
        for flaw in flaws {
            lines.append(
                "Byte \(flaw.offset): \(flaw.reason)\(flaw.isHarmless ? " (nothing is missing)" : "").")
        }
        if flawCount > flaws.count { lines.append("\(flawCount - flaws.count) flaws more.") }
        if flaws.isEmpty { lines.append("Nothing is damaged.") }
        return lines.joined(separator: "\n")
    }
}
