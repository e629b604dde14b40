extension Dependencies {
    /// Creates the dependencies of a query's result: everything on the paths from an element to the values that the predicate and
    /// the steps read. The source itself is covered by ``RowQuery/Source/interest``.
    ///
    /// - Parameter paths: further paths along which changes of the elements count.
    package convenience init(_ query: RowQuery, _ catalog: Catalog, reading paths: [ResolvedPath] = []) {
        guard let table = query.source.table else {
            self.init()
            return
        }
        var paths = paths
        query.predicate?.addPaths(to: &paths, after: nil)
        for step in query.steps {
            switch step {
            case .sort(let keys), .distinct(let keys): paths += keys.compactMap { $0.path }
            }
        }
        // The deletion of an object removes it from every other source, so it already counts as a change of that source.
        let isTable = if case .table = query.source { true } else { false }
        self.init(paths, from: table, countsRows: isTable, catalog)
    }
}

extension RowPredicate {
    /// Adds the paths that the predicate reads. In a subquery they continue the path to its collection.
    fileprivate func addPaths(to paths: inout [ResolvedPath], after prefix: ResolvedPath?) {
        switch self {
        case .constant: break
        case .and(let parts), .or(let parts): for part in parts { part.addPaths(to: &paths, after: prefix) }
        case .not(let part): part.addPaths(to: &paths, after: prefix)
        case .test(_, let operand, _): operand.addPaths(to: &paths, after: prefix)
        case .pair(_, let left, _, let right):
            left.addPaths(to: &paths, after: prefix)
            right.addPaths(to: &paths, after: prefix)
        }
    }
}

extension RowOperand {
    fileprivate func addPaths(to paths: inout [ResolvedPath], after prefix: ResolvedPath?) {
        func add(_ path: ResolvedPath, after prefix: ResolvedPath?) -> ResolvedPath {
            let path = prefix?.appending(path) ?? path
            paths.append(path)
            return path
        }
        switch self {
        case .path(let path): _ = add(path, after: prefix)
        case .aggregate(let aggregate):
            let collection = add(aggregate.collection, after: prefix)
            if let value = aggregate.value { _ = add(value, after: collection) }
        case .matching(let collection, let predicate):
            predicate.addPaths(to: &paths, after: add(collection, after: prefix))
        case .element, .inside, .constant: break
        case .computed(let left, let right, _):
            left.addPaths(to: &paths, after: prefix)
            right.addPaths(to: &paths, after: prefix)
        case .derived(let derivation): for path in derivation.paths { _ = add(path, after: prefix) }
        }
    }
}

extension RowQuery.Source {
    /// Calls `body` with each object of the source until it returns false. An object may be passed several times.
    func forEachKey(_ snapshot: Snapshot, _ body: (ObjectKey) -> Bool) {
        switch self {
        case .table(let table):
            snapshot.table(table).forEachKeyWhile(body)
        case .list(let id, _), .set(let id, _):
            snapshot.sequence(id, .link).forEachLinkWhile(body)
        case .origins(let origins, let key):
            snapshot.backlinks(origins.backlinks, of: key).forEachWhile(body)
        case .values: break
        }
    }
}
