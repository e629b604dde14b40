extension Rows {
    /// Rows of the table with more and with less data: the cost of a change for its observers must depend on the change alone.
    /// They have no targets, because targets are for the sizes of the table.
    static var growth: [RowGroup] {
        [RowGroup("commit@", sizes.map { commitToResults("commit.results@\($0)", rows: $1) })]
            + View.allCases.map { RowGroup("view.\($0.rawValue)@", growingViews($0)) }
            + [
                RowGroup("list.insert@", sizes.map { insertIntoObserved("list.insert@\($0)", count: $1) }),
                RowGroup(
                    "list.object@", sizes.map { modifyElementOfObserved("list.object@\($0)", count: $1) }),
                RowGroup(
                    "tokens@",
                    [("1k", 1_000), ("4k", 4_000), ("16k", 16_000)].map {
                        endTokens("tokens.end@\($0)", count: $1)
                    }),
            ]
    }

    private static func growingViews(_ view: View) -> [Row] {
        [("1", 1), ("100", 100), ("10k", 10_000)].flatMap { label, modified in
            sizes.map { size, count in
                self.view("view.\(view.rawValue)/\(label)@\(size)", view, rows: count, modified: modified)
            }
        }
    }

    /// Returns a row that ends many observations of results, one after the other, and times each.
    private static func endTokens(_ name: String, count: Int) -> Row {
        Row(name, .queries, .us) { fixtures in
            let store = try fixtures.items(1_000)
            let items = store.realm.objects(Item.self)
            return try Sampling.repetitions {
                let tally = Tally()
                let tokens = (0..<count).map { _ in items.observe { _ in tally.add() } }
                try store.settle()
                tally.take(count, name)
                return nanoseconds { for token in tokens { token.invalidate() } } / Double(count)
            }
        }
    }

    private static let sizes = [
        ("10k", 10_000), ("100k", 100_000), ("1M", 1_000_000), ("10M", 10_000_000),
    ]
}
