import Foundation
import KivoJournal

extension Realm {
    /// The reason why the changes since a version cannot be found.
    public enum HistoryError: Swift.Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
        /// The history begins with a later version: the file was compacted since, or the version was of a realm in memory and is
        /// no longer retained. Contains the oldest version from which changes are known.
        case removed(oldest: Version)
        /// The realm has no such version yet: its file was replaced by an older one. Contains its newest version.
        case missing(newest: Version)
        /// The version is of other data.
        case otherData
        /// The classes were migrated after the version, so that values before and after cannot be compared. Contains the first
        /// version with the new classes.
        case migrated(Version)
        /// There is no consumer of this name: it was removed, or the file is a copy of the one for which it was made.
        case consumerRemoved(String)
        /// Another iteration over the batches of the consumer of this name has acknowledged changes since this one began, so that it may
        /// have dealt with the same ones. A new iteration goes on from there.
        case consumerMoved(String)

        /// A sentence that describes the error.
        public var description: String {
            switch self {
            case .removed(let oldest):
                "The changes since this version are not known any more: the history begins with \(oldest)."
            case .missing(let newest):
                "The realm does not have this version: its newest one is \(newest). An older file may have replaced it."
            case .otherData: "The version is of another realm."
            case .migrated(let version):
                "The classes were migrated after this version: changes are known from \(version) on."
            case .consumerRemoved(let name):
                "The realm has no consumer '\(name)': it was removed, or the file is a copy."
            case .consumerMoved(let name):
                "Another iteration has acknowledged changes as consumer '\(name)': begin a new one."
            }
        }

        /// A sentence that describes the error.
        public var errorDescription: String? { description }

        init(_ failure: LogHistory.Failure, _ lineage: UInt64) {
            self =
                switch failure {
                case .removed(let oldest): .removed(oldest: Version(lineage: lineage, number: oldest))
                case .missing(let newest): .missing(newest: Version(lineage: lineage, number: newest))
                case .migrated(let version): .migrated(Version(lineage: lineage, number: version))
                }
        }
    }
}
