extension Rows {
    /// Rows of the table on more and on fewer data: what a change costs its observers has to follow from the change. They
    /// have no targets, which are for the sizes of the table.
    static var growth: [Row] {
        let views = View.allCases.flatMap { view in
            [("1", 1), ("100", 100), ("10k", 10_000)].flatMap { label, modified in
                sizes.map { size, count in
                    self.view("view.\(view.rawValue)/\(label)@\(size)", view, rows: count, modified: modified)
                }
            }
        }
        return sizes.map { commitToResults("commit.results@\($0)", rows: $1) } + views
            + sizes.map { insertIntoObserved("list.insert@\($0)", count: $1) }
            + sizes.map { modifyElementOfObserved("list.object@\($0)", count: $1) }
    }

    private static let sizes = [
        ("10k", 10_000), ("100k", 100_000), ("1M", 1_000_000), ("10M", 10_000_000),
    ]
}
