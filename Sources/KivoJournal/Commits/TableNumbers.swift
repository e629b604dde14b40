import KivoEngine

/// The numbers that a file assigns to tables. No number is used twice: a table that is redefined gets a new one. So a commit that
/// names a number can be decoded only by a reader that has read the description of that table.
struct TableNumbers: Sendable {
    private(set) var byTable: [TableID: Int] = [:]
    /// The next number to assign.
    private(set) var next = 0

    /// Creates an empty set of numbers.
    init() {}

    /// Creates the set of numbers that were assigned so far.
    init(_ byTable: [TableID: Int], next: Int) {
        self.byTable = byTable
        self.next = next
    }

    subscript(table: TableID) -> Int? { byTable[table] }

    /// Assigns the next number to a table, in place of its number if it has one.
    mutating func give(_ table: TableID) -> Int {
        byTable[table] = next
        next += 1
        return next - 1
    }

    /// Removes the number of a table.
    mutating func drop(_ table: TableID) { byTable[table] = nil }
}
