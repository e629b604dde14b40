import Foundation
import KivoJournal

extension Realm {
    /// What was put right when a file was opened; see ``Realm/Configuration/recoveryHandler``.
    ///
    /// Nothing of it concerns a commit that was acknowledged.
    public struct Recovery: Sendable, Equatable, CustomStringConvertible {
        /// The file.
        public let fileURL: URL
        /// The bytes of a commit that was never finished, because the program or the machine stopped in the middle of it;
        /// empty if there were none.
        public let discardedBytes: Range<Int>
        /// Whether one of the two copies of the file's header was damaged.
        public let isHeaderDamaged: Bool
        /// Whether the file was left as it is, because it was opened for reading only.
        public let isReadOnly: Bool

        init(_ recovery: JournalRecovery, _ url: URL, isReadOnly: Bool) {
            fileURL = url
            discardedBytes = recovery.discardedBytes
            isHeaderDamaged = recovery.isHeaderDamaged
            self.isReadOnly = isReadOnly
        }

        /// What was put right, in sentences.
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

extension Store {
    /// Tells the program what was put right when the file was opened, once.
    func reportRecovery(_ configuration: Realm.Configuration) {
        let recovery = untoldRecovery.withLock { untold in
            defer { untold = nil }
            return untold
        }
        guard let recovery else { return }
        Logger.shared.log(level: .warn, message: "\(recovery)")
        configuration.recoveryHandler?(recovery)
    }
}
