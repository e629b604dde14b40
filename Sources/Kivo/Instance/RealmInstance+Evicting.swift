import KivoEngine

/// Evictions of nodes from memory, which instances notice by nothing but the addresses of rows.
extension RealmInstance {
    /// Evicts nodes if too many are in memory. Called where code of the library has no addresses of rows, at most once per leaf.
    @inline(__always)
    func evictIfDue() { if store.heap.cache.isEvictionDue { evict() } }

    @inline(never)
    private func evict() {
        guard isIdle, !isFrozen, migration == nil, version != 0, reader.pointee.addressesInUse == 0 else {
            return
        }
        // What this instance alone still needs is freed before.
        followEvictions()
        let isOthersConcern = store.evictIfDue()
        followEvictions()
        if isOthersConcern { store.notifyInstances(except: handle) }
    }

    /// Moves to the newest version with the data of this one, so that what was evicted from it is freed.
    func followEvictions() {
        let evictions = store.evictions.load(ordering: .acquiring)
        guard evictions != followedEvictions, version != 0, transaction == nil, !isFrozen, migration == nil,
            reader.pointee.addressesInUse == 0, store.isDurable(version)
        else { return }
        followedEvictions = evictions
        guard let next = store.pinSuccessor(withDataOf: version) else { return }
        let before = version
        moveTo(next.version, next.snapshot, data: dataVersion)
        advanceGeneration()
        reader.pointee.evictions += 1
        listeners.followEviction(from: before, to: version)
        store.unpin(before)
        store.heap.cache.resume()
    }
}
