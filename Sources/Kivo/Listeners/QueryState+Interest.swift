import KivoEngine

extension QueryState {
    /// Returns the keys by which the registry finds a listener of the result; the result changes along the given dependencies.
    func interest(_ dependencies: [Dependencies]) -> Interest {
        let membership = { (route: Interest.Route, member: Interest.Member) in
            Interest.Membership(route, dependencies, member)
        }
        switch query.source {
        case .table(let table):
            return Interest(membership: membership(.conditions(table), .bounds(query.predicate?.bounds)))
        case .values(let id, _): return .row(RowID(table: id.table, key: id.key), columns: [id.column])
        case .list(let id, _), .set(let id, _):
            var interest = Interest.row(RowID(table: id.table, key: id.key), columns: [id.column])
            let backlinks = instance.catalog.tables[id.table].backlinks[id.column]!
            interest.membership = membership(.owners(backlinks: backlinks), .key(id.key))
            return interest
        case .origins(let origins, let key):
            let target = instance.catalog.tables[origins.table].columns[origins.column].target!
            return Interest(
                row: Interest.Row(id: RowID(table: origins.backlinks, key: key), columns: nil),
                // When the object is deleted, its backlinks are removed with it, without a change of their own.
                otherRow: Interest.Row(id: RowID(table: target, key: key), columns: []),
                membership: membership(.targets(origins), .key(key)))
        }
    }
}
