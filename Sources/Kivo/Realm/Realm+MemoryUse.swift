import KivoEngine

extension Realm {
    /// The memory that the data of a realm file take in this process, approximately.
    public struct MemoryUse: Sendable, Hashable {
        /// The number of bytes of data that are the same in the file. They are let go beyond ``limit``.
        public let cached: Int
        /// The number of bytes that were let go and are needed by older versions: of frozen objects, of ``Realm/Version``, of realms
        /// that have not been refreshed, and of a checkpoint that is being made.
        public let held: Int
        /// The number of bytes that were written since the last checkpoint began.
        public let unwritten: Int
        /// The number of bytes of ``cached`` beyond which data are let go, or `Int.max`: see ``Realm/Configuration/cacheSize``.
        public let limit: Int
        /// The number of versions from the oldest that is still read to the newest. Observers that are paced or paused keep the version
        /// that they have seen, as do frozen objects, ``Realm/Version`` and realms that have not been refreshed. The versions in between
        /// are merged, so that their number costs little; what was replaced since the oldest stays in memory. See
        /// ``Realm/Configuration/maximumNumberOfActiveVersions``.
        public let activeVersions: Int
    }

    /// The memory that the data of the realm's file take in this process, for all of its realms together. A realm in memory has all of
    /// its data in memory, which are not counted here.
    ///
    /// - Complexity: O(versions that are still read).
    public var memoryUse: MemoryUse {
        instance.checkConfinement()
        let store = instance.store
        let cache = store.heap.cache
        return MemoryUse(
            cached: cache.byteCount, held: store.evictedByteCount, unwritten: cache.dirtyByteCount,
            limit: cache.limit, activeVersions: Int(store.activeVersions))
    }
}
