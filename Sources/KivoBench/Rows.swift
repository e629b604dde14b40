/// Every row that is measured, in the order of the table; the groups are in files of their own.
enum Rows {
    static var all: [Row] {
        Floor.allCases.map(\.row) + creating + reading + writing + committing + views + lists + queries
            + fanout
            + listeners + memory + deleting + keyValueObserving + files
    }
}
