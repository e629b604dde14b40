/// All measured rows, in the order of the table. Each file has the groups of one subject.
enum Rows {
    static var groups: [RowGroup] {
        [
            RowGroup("floors", Floor.allCases.map(\.row)),
            RowGroup("create", creating),
            RowGroup("read", reading),
            RowGroup("read.random", readingRandomly),
            RowGroup("read.kept", readingKept),
            RowGroup("write", writing),
            RowGroup("commit", committing),
            RowGroup("view", views),
            RowGroup("sections", sections),
            RowGroup("list", lists),
            RowGroup("deep", deep),
            RowGroup("query", queries),
            RowGroup("query scans", queryScans),
            RowGroup("fanout", fanout),
            RowGroup("coalesce", coalescing),
            RowGroup("views", resultListeners),
            RowGroup("lists", listListeners),
            RowGroup("memory", memory),
            RowGroup("streams", streams),
            RowGroup("delete", deleting),
            RowGroup("kvo", keyValueObserving),
            RowGroup("kvo.register", keyValueRegistering),
            RowGroup("kvo.refresh", keyValueRefreshing),
            RowGroup("kvo.delete", keyValueDeleting),
            RowGroup("observed", observed),
            RowGroup("files", files),
            RowGroup("records", records),
            RowGroup("file growth", fileGrowth),
            RowGroup("realm files", realmFiles),
            RowGroup("studio", studio),
            RowGroup("async", asynchronous),
            RowGroup("etcd", etcd),
        ]
    }
}
