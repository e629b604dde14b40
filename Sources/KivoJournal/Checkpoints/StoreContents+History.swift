extension StoreContents {
    /// Whether a file that begins with the version still has all changes that are demanded of it.
    func keepsHistory(lineage: UInt64) -> Bool {
        let demands = StoredConsumer.all(in: snapshot, catalog)
        let own = demands.filter { $0.lineage == lineage }
        if own.isEmpty || own.contains(where: { $0.kind == .nothing }) { return true }
        if own.allSatisfy({ $0.kind == .consumer && $0.number >= version }) { return true }
        return StoredChanges.end(in: snapshot, catalog, lineage: lineage) == version
    }
}
