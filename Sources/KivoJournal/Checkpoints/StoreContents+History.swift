extension StoreContents {
    /// Whether a file that begins with the version still has all changes that are demanded of it.
    func keepsHistory(lineage: UInt64) -> Bool {
        let demands = StoredConsumer.all(in: snapshot, catalog, lineage: lineage)
        if demands.demandNothing { return true }
        if demands.allSatisfy({ $0.kind == .consumer && $0.number >= version }) { return true }
        return StoredChanges.end(in: snapshot, catalog, lineage: lineage) == version
    }
}
