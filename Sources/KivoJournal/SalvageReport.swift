/// What a salvage found in a damaged file, and what it did not.
public struct SalvageReport: Sendable, Equatable {
    /// Records that are damaged or make no sense.
    public struct Gap: Sendable, Equatable {
        /// The bytes of the file between the intact records.
        public var bytes: Range<Int>
        /// The numbers of the missing records, counted from 1; nil at the end of the file, where nothing says how many
        /// there were.
        public var records: ClosedRange<UInt64>?

        /// A gap of its bytes and records.
        public init(bytes: Range<Int>, records: ClosedRange<UInt64>?) {
            self.bytes = bytes
            self.records = records
        }
    }

    /// A page of the checkpoint that is damaged or makes no sense.
    public struct DamagedPage: Sendable, Equatable {
        /// Where the page begins.
        public var offset: Int
        /// What is wrong with it.
        public var reason: String
        /// The class whose objects were in it, or below it.
        public var className: String
        /// The collection whose elements were in it, or the property whose value was; nil if it had objects.
        public var propertyName: String?
        /// How many objects are lost with it.
        public var objectCount: Int

        init(offset: Int, reason: String, className: String, propertyName: String?, objectCount: Int) {
            self.offset = offset
            self.reason = reason
            self.className = className
            self.propertyName = propertyName
            self.objectCount = objectCount
        }
    }

    /// What an intact record after a gap says that could not be carried out without what is missing.
    public struct Loss: Sendable, Equatable {
        /// What could not be carried out.
        public enum Kind: String, Sendable {
            /// A value was assigned to an object that is missing.
            case valueOfMissingObject = "values of objects that are missing"
            /// A link, or an element of a collection, led to an object that is missing, and leads nowhere now.
            case linkToMissingObject = "links to objects that are missing"
            /// A collection was changed that is not as it was then; it is left as it is, or put in order.
            case collectionOfOtherContents = "changes of collections that are not as they were then"
            /// An object had the primary key of a later one, and is dropped.
            case objectOfTakenPrimaryKey = "objects whose primary key a later object has"
            /// An embedded object lost its place, and is dropped.
            case objectWithoutPlace = "embedded objects without a place"
        }

        /// What could not be carried out.
        public var kind: Kind
        /// The class that is concerned.
        public var className: String
        /// The property that is concerned, if it is one.
        public var propertyName: String?
        /// How often.
        public var count: Int

        init(kind: Kind, className: String, propertyName: String?, count: Int) {
            self.kind = kind
            self.className = className
            self.propertyName = propertyName
            self.count = count
        }
    }

    /// Where the checkpoint begins with which the copy begins; nil if it begins with the first commit.
    public var checkpointOffset: Int?
    /// The pages of the checkpoint that could not be read, in the order of the file.
    public var damagedPages: [DamagedPage] = []
    /// How many records were carried over: of those after the checkpoint, if there is one.
    public var recordCount = 0
    /// What is missing, in the order of the file.
    public var gaps: [Gap] = []
    /// How many records are known to be missing in all: those of the gaps, and those at the end that the file's header
    /// says were acknowledged.
    public var missingRecordCount = 0
    /// What could not be carried out of the records that were carried over.
    public var losses: [Loss] = []
    /// How many objects the copy holds, by class.
    public var objectCounts: [String: Int] = [:]

    /// A report of nothing.
    public init() {}

    /// Whether nothing is missing.
    public var isComplete: Bool {
        gaps.isEmpty && losses.isEmpty && damagedPages.isEmpty && missingRecordCount == 0
    }
}

extension SalvageReport: CustomStringConvertible {
    /// The report in sentences.
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
                let numbers = "\(records.lowerBound) to \(records.upperBound)"
                lines.append("\(bytes) are damaged: commits \(numbers) are missing.")
            } else {
                lines.append("\(bytes) are damaged, and nothing intact follows.")
            }
        }
        if missingRecordCount > 0 { lines.append("\(missingRecordCount) commits are known to be missing.") }
        for loss in losses {
            let place = loss.propertyName.map { "\(loss.className).\($0)" } ?? loss.className
            lines.append("'\(place)': \(loss.count) \(loss.kind.rawValue).")
        }
        for (name, count) in objectCounts.sorted(by: { $0.key < $1.key }) {
            lines.append("\(count) objects of class '\(name)'.")
        }
        return lines.joined(separator: "\n")
    }
}
