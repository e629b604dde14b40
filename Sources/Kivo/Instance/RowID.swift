import KivoEngine

/// A row of a realm.
struct RowID: Hashable {
    var table: TableID
    var key: ObjectKey
}
