/// What the answer of a query hangs on: the ways from an element to the values that its predicate and its steps look
/// at. Along them a change is followed backwards, to the elements whose place in the answer it can change.
///
/// The observers' key paths are followed by rules of their own, in the layer above: there references that go away do not
/// count, here they do.
public struct Dependencies: Sendable {
    /// One component of a way: the table it starts from and what it reads there.
    enum Step: Sendable {
        /// Columns of the table's rows.
        case forward(TableID, columns: [Int])
        /// Who refers to the table's rows.
        case backward(TableID, ValuePath.Origins)
    }

    private(set) var paths: [[Step]] = []
    private let table: TableID?
    /// The columns of the elements themselves at which the ways begin.
    private(set) var ownColumns: Set<Int> = []

    /// What a query hangs on.
    public init(_ query: RowQuery) {
        table = query.source.table
        guard let table else { return }
        if let predicate = query.predicate { add(predicate, [], table) }
        for step in query.steps {
            switch step {
            case .sort(let keys), .distinct(let keys): for key in keys { add(key.path!, [], table) }
            }
        }
        for case .forward(_, let columns) in paths.map(\.[0]) { ownColumns.formUnion(columns) }
    }

    private mutating func add(_ predicate: RowPredicate, _ prefix: [Step], _ table: TableID) {
        switch predicate {
        case .constant: break
        case .and(let parts), .or(let parts): for part in parts { add(part, prefix, table) }
        case .not(let part): add(part, prefix, table)
        case .test(_, let operand, _): add(operand, prefix, table)
        case .pair(_, let left, _, let right):
            add(left, prefix, table)
            add(right, prefix, table)
        }
    }

    private mutating func add(_ operand: RowPredicate.Operand, _ prefix: [Step], _ table: TableID) {
        switch operand {
        case .path(let path): add(path, prefix, table)
        case .aggregate(let aggregate):
            let (steps, target) = steps(to: aggregate.collection, prefix, table)
            paths.append(steps)
            if let value = aggregate.value, let target { add(value, steps, target) }
        case .matching(let collection, let predicate):
            let (steps, target) = steps(to: collection, prefix, table)
            paths.append(steps)
            if let target { add(predicate, steps, target) }
        }
    }

    private mutating func add(_ path: ValuePath, _ prefix: [Step], _ table: TableID) {
        var (steps, table) = (prefix, table)
        for hop in path.hops { table = Dependencies.append(hop, &steps, table) }
        switch path.end {
        case .column(let column, _), .elements(let column, _):
            steps.append(.forward(table, columns: [column]))
        case .entry(let entry, _): steps.append(.forward(table, columns: [entry.keys, entry.values]))
        case .object: break
        }
        if !steps.isEmpty { paths.append(steps) }
    }

    private func steps(
        to collection: CollectionPath, _ prefix: [Step], _ table: TableID
    ) -> (steps: [Step], target: TableID?) {
        var (steps, table) = (prefix, table)
        for hop in collection.owner { table = Dependencies.append(hop, &steps, table) }
        if let hop = collection.hop {
            table = Dependencies.append(hop, &steps, table)
            return (steps, table)
        }
        if case .values(let column, _) = collection.elements {
            steps.append(.forward(table, columns: [column]))
        }
        return (steps, nil)
    }

    private static func append(_ hop: ValuePath.Hop, _ steps: inout [Step], _ table: TableID) -> TableID {
        switch hop {
        case .link(let column, let target), .elements(let column, let target):
            steps.append(.forward(table, columns: [column]))
            return target
        case .entry(let entry, let target):
            steps.append(.forward(table, columns: [entry.keys, entry.values]))
            return target
        case .origins(let origins):
            steps.append(.backward(table, origins))
            return origins.table
        }
    }

    // MARK: Walking back

    /// The rows whose place a change can change: those that came or went, and those that lead to something it assigned.
    /// Ascending. Costs what the change and the walk back cost, never what the table weighs.
    func touched(_ changes: ChangeSet, _ snapshot: Snapshot, _ catalog: Catalog) -> [ObjectKey] {
        guard let table else { return [] }
        var keys: [ObjectKey] = []
        changes.table(table)?.forEachTouched(in: ownColumns) { keys.append($0) }
        var linked: Set<ObjectKey> = []
        for path in paths {
            if path.count == 1, case .forward = path[0] { continue }
            linked.formUnion(walk(path, changes, snapshot, catalog))
        }
        if linked.isEmpty { return keys }
        linked.formUnion(keys)
        return linked.sorted()
    }

    /// Whether what a column of a table holds can change the place of an element that is another row than its own.
    func reaches(_ table: TableID, _ column: Int) -> Bool {
        paths.contains { path in
            path.indices.contains { index in
                switch path[index] {
                case .forward(let other, let columns): index > 0 && other == table && columns.contains(column)
                case .backward(_, let origins): origins.backlinks == table
                }
            }
        }
    }

    private func walk(
        _ path: [Step], _ changes: ChangeSet, _ snapshot: Snapshot, _ catalog: Catalog
    ) -> Set<ObjectKey> {
        var affected: Set<ObjectKey> = []
        for (index, step) in path.enumerated().reversed() {
            var keys: Set<ObjectKey> = []
            switch step {
            case .forward(let table, let columns):
                if index > 0 { changes.table(table)?.forEachModified(in: Set(columns)) { keys.insert($0) } }
                for column in columns where !affected.isEmpty {
                    guard let backlinks = catalog.tables[table].backlinks[column] else { continue }
                    for key in affected {
                        snapshot.backlinks(backlinks, of: key).forEach { keys.insert($0) }
                    }
                }
            case .backward(_, let origins):
                changes.backlinks(origins.backlinks)?.forEachTouched { keys.insert($0) }
                for key in affected {
                    snapshot.forEachTarget(of: key, origins.table, origins.column, catalog) {
                        keys.insert($0)
                    }
                }
            }
            affected = keys
        }
        return affected
    }
}
