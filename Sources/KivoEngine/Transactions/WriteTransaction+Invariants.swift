extension WriteTransaction {
    /// Checks the version being built; see ``Snapshot/checkInvariants(_:_:)``. Debug builds call it at commit for the tables that
    /// the transaction touched, as long as they are small.
    func checkInvariants() {
        #if DEBUG
        for table in Set(touched.map { $0.table }) where snapshot.table(table).count <= 512 {
            snapshot.checkInvariants(table, catalog)
        }
        #endif
    }
}
