/// What a verification found in a file.
public struct VerificationReport: Sendable, Equatable {
    /// Something that is not as it was written.
    public struct Flaw: Sendable, Equatable {
        /// Where it is, in bytes from the beginning of the file.
        public var offset: Int
        /// Where it ends, if that is known.
        public var end: Int?
        /// What is wrong.
        public var reason: String
        /// Whether nothing is missing because of it: opening mends it, or nobody reads what it is in.
        public var isHarmless: Bool

        /// A flaw at an offset.
        public init(offset: Int, end: Int? = nil, reason: String, isHarmless: Bool) {
            (self.offset, self.end, self.reason, self.isHarmless) = (offset, end, reason, isHarmless)
        }
    }

    /// The first of the flaws that were found, those that are not harmless first, in the order of the file.
    public private(set) var flaws: [Flaw] = []
    /// How many flaws were found.
    public private(set) var flawCount = 0
    /// The bytes of the file.
    public var byteCount = 0
    /// How many records there are that passed their checksums.
    public var recordCount = 0
    /// How many of them are commits.
    public var commitCount = 0
    /// Where the checkpoint begins from which the file is opened; nil if there is none.
    public var checkpointOffset: Int?
    /// How many pages the checkpoint leads to that passed their checksums.
    public var pageCount = 0
    /// How many objects are in them.
    public var objectCount = 0

    /// How many flaws of each sort are kept.
    private static let mostFlaws = 500

    /// A report of nothing.
    public init() {}

    /// Whether all that is needed was found as it was written.
    public var isIntact: Bool { flaws.allSatisfy(\.isHarmless) }

    /// Notes what is wrong.
    public mutating func note(_ flaw: Flaw) {
        flawCount += 1
        let kept = flaws.lazy.filter { $0.isHarmless == flaw.isHarmless }.count
        if kept == VerificationReport.mostFlaws { return }
        let place = flaws.firstIndex {
            ($0.isHarmless ? 1 : 0, $0.offset) > (flaw.isHarmless ? 1 : 0, flaw.offset)
        }
        flaws.insert(flaw, at: place ?? flaws.count)
    }

    /// Throws the first flaw that is not harmless.
    func check() throws(JournalError) {
        guard let first = flaws.first, !first.isHarmless else { return }
        throw .corrupt(offset: first.offset, reason: first.reason)
    }
}

extension VerificationReport: CustomStringConvertible {
    /// The report in sentences.
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
