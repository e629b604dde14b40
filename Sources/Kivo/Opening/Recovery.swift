import Foundation
import KivoJournal

extension Realm {
    /// The repairs that opening a file made; see ``Realm/Configuration/recoveryHandler``.
    ///
    /// They never affect a commit that was acknowledged.
    public struct Recovery: Sendable, Equatable, CustomStringConvertible {
        /// The file.
        public let fileURL: URL
        /// The bytes of an unfinished commit, because the program or the machine stopped in the middle of it; empty if there were
        /// none.
        public let discardedBytes: Range<Int>
        /// A Boolean value that indicates whether one of the two copies of the file's header was damaged.
        public let isHeaderDamaged: Bool
        /// A Boolean value that indicates whether the file was left unchanged because it was opened for reading only.
        public let isReadOnly: Bool

        init(_ recovery: JournalRecovery, _ url: URL, isReadOnly: Bool) {
            fileURL = url
            discardedBytes = recovery.discardedBytes
            isHeaderDamaged = recovery.isHeaderDamaged
            self.isReadOnly = isReadOnly
        }

        /// A textual description of the repairs, in sentences.
        public var description: String {
            var sentences: [String] = []
            if !discardedBytes.isEmpty {
                sentences.append(
                    """
                    bytes \(discardedBytes.lowerBound) to \(discardedBytes.upperBound) are a commit that was not \
                    finished and \(isReadOnly ? "are passed over" : "were cut off").
                    """)
            }
            if isHeaderDamaged {
                sentences.append(
                    "one copy of the header is damaged\(isReadOnly ? "" : ", and was replaced by the other")."
                )
            }
            return "Realm file '\(fileURL.path)': " + sentences.joined(separator: " ")
        }
    }
}
