import KivoEngine

/// The numbers that a file gives tables. None is used twice: a table that is redefined gets another, so that a commit which
/// names a number can only be understood by whoever has read what the number stands for.
struct TableNumbers: Sendable {
    private(set) var byTable: [TableID: Int] = [:]
    /// The number that comes next.
    private(set) var next = 0

    /// No numbers yet.
    init() {}

    /// Those that were given so far.
    init(_ byTable: [TableID: Int], next: Int) {
        self.byTable = byTable
        self.next = next
    }

    subscript(table: TableID) -> Int? { byTable[table] }

    /// Gives a table the next number, in place of the one that it may have.
    mutating func give(_ table: TableID) -> Int {
        byTable[table] = next
        next += 1
        return next - 1
    }

    /// Takes a table's number away.
    mutating func drop(_ table: TableID) { byTable[table] = nil }
}
