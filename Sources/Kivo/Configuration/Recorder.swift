import Foundation

extension Realm {
    /// The recorder of what happens in a realm, so that a test can repeat it: see ``Realm/Configuration/recorder``.
    public struct Recorder: Sendable, Hashable {
        /// The folder in which the capsules are.
        public let folder: URL
        /// The number of bytes of a capsule, without its base, after which another one is begun.
        public let sizeLimit: Int
        /// The number of capsules of a realm that are kept.
        public let count: Int

        /// Returns a recorder that writes capsules into a folder, which is created if it does not exist.
        ///
        /// - Parameters:
        ///   - url: The folder.
        ///   - sizeLimit: The number of bytes of a capsule, without its base, after which another one is begun, with a base of its own.
        ///   - count: The number of capsules of a realm that are kept, the newest ones; at least one.
        public static func folder(_ url: URL, sizeLimit: Int = 64 << 20, count: Int = 4) -> Recorder {
            Recorder(folder: url, sizeLimit: max(0, sizeLimit), count: max(1, count))
        }
    }
}
