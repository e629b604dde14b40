/// The result of the salvage of a damaged file: the data that were carried over, and the data that are lost.
public struct SalvageReport: Sendable, Equatable {
    /// A range of damaged or invalid records.
    public struct Gap: Sendable, Equatable {
        /// The bytes of the file between the intact records.
        public var bytes: Range<Int>
        /// The numbers of the missing records, counted from 1; nil at the end of the file, where their number is unknown.
        public var records: ClosedRange<UInt64>?

        /// Creates a gap.
        public init(bytes: Range<Int>, records: ClosedRange<UInt64>?) {
            self.bytes = bytes
            self.records = records
        }
    }

    /// A damaged or invalid page of the checkpoint.
    public struct DamagedPage: Sendable, Equatable {
        /// The offset of the page.
        public var offset: Int
        /// The description of the damage.
        public var reason: String
        /// The class of the objects in the page or in the pages below it.
        public var className: String
        /// The property whose collection elements or value the page contained; nil if the page contained objects.
        public var propertyName: String?
        /// The number of objects that are lost with the page.
        public var objectCount: Int

        init(offset: Int, reason: String, className: String, propertyName: String?, objectCount: Int) {
            self.offset = offset
            self.reason = reason
            self.className = className
            self.propertyName = propertyName
            self.objectCount = objectCount
        }
    }

    /// A change in an intact record after a gap that could not be applied because it depends on missing data.
    public struct Loss: Sendable, Equatable {
        /// The kind of a loss.
        public enum Kind: String, Sendable {
            /// A value was assigned to a missing object.
            case valueOfMissingObject = "values of objects that are missing"
            /// A link, or an element of a collection, led to a missing object, and now has no target.
            case linkToMissingObject = "links to objects that are missing"
            /// A collection was changed whose contents differ from those at that time. It is left unchanged, or reordered.
            case collectionOfOtherContents = "changes of collections that are not as they were then"
            /// An object had the primary key of a later object, and is dropped.
            case objectOfTakenPrimaryKey = "objects whose primary key a later object has"
            /// An embedded object lost its parent, and is dropped.
            case objectWithoutParent = "embedded objects without a place"
        }

        /// The kind of the loss.
        public var kind: Kind
        /// The class that is affected.
        public var className: String
        /// The property that is affected, if the loss is of a property.
        public var propertyName: String?
        /// The number of losses.
        public var count: Int

        init(kind: Kind, className: String, propertyName: String?, count: Int) {
            self.kind = kind
            self.className = className
            self.propertyName = propertyName
            self.count = count
        }
    }

    /// The offset of the checkpoint from which the copy was made; nil if the copy was made from the first commit on.
    public var checkpointOffset: Int?
    /// The damaged pages of the checkpoint, in the order of the file.
    public var damagedPages: [DamagedPage] = []
    /// The number of records that were carried over; with a checkpoint, only those after it.
    public var recordCount = 0
    /// The gaps between intact records, in the order of the file.
    public var gaps: [Gap] = []
    /// The number of records that are known to be missing: those of the gaps, and those at the end that were acknowledged
    /// according to the file's header.
    public var missingRecordCount = 0
    /// The changes in the carried-over records that could not be applied.
    public var losses: [Loss] = []
    /// The number of objects in the copy, by class.
    public var objectCounts: [String: Int] = [:]

    /// Creates an empty report.
    public init() {}

    /// A Boolean value that indicates whether all data were carried over.
    public var isComplete: Bool {
        gaps.isEmpty && losses.isEmpty && damagedPages.isEmpty && missingRecordCount == 0
    }
}

extension SalvageReport: CustomStringConvertible {
    /// The report as text.
    public var description: String {
        var lines: [String] = []
        if let checkpointOffset {
            lines.append("The checkpoint at byte \(checkpointOffset) was carried over.")
        }
        for page in damagedPages {
            let what =
                page.propertyName.map { "elements of '\(page.className).\($0)'" }
                ?? "\(page.objectCount) objects of class '\(page.className)'"
            lines.append("The page at byte \(page.offset) is damaged (\(page.reason)): \(what) are missing.")
        }
        lines.append("\(recordCount) commits were carried over.")
        for gap in gaps {
            let bytes = "Bytes \(gap.bytes.lowerBound) to \(gap.bytes.upperBound)"
            if let records = gap.records {
                let missing =
                    records.count == 1
                    ? "commit \(records.lowerBound) is"
                    : "commits \(records.lowerBound) to \(records.upperBound) are"
                lines.append("\(bytes) are damaged: \(missing) missing.")
            } else {
                lines.append("\(bytes) are damaged, and nothing intact follows.")
            }
        }
        if missingRecordCount > 0 { lines.append("\(missingRecordCount) commits are known to be missing.") }
        for loss in losses {
            let subject = loss.propertyName.map { "\(loss.className).\($0)" } ?? loss.className
            lines.append("'\(subject)': \(loss.count) \(loss.kind.rawValue).")
        }
        for (name, count) in objectCounts.sorted(by: { $0.key < $1.key }) {
            lines.append("\(count) objects of class '\(name)'.")
        }
        return lines.joined(separator: "\n")
    }
}
