import KivoEngine

extension QueryState {
    /// What the query finds, for the developer of the program: its type, and the steps that lead there.
    var subject: String {
        let elements = elements?.info.name ?? query.elementName
        let type =
            switch source {
            case .linking: "LinkingObjects<\(elements)>"
            case .table: "Results<\(elements)>"
            case .collection(let reference): "Results<\(elements)> of \(reference.name)"
            }
        var steps: [String] = query.predicate == nil ? [] : ["filtered"]
        for step in query.steps {
            switch step {
            case .sort: steps.append("sorted")
            case .distinct: steps.append("distinct")
            }
        }
        if query.window != nil { steps.append("limited") }
        return ([type] + steps).joined(separator: ", ")
    }

    /// Evaluates the query in some way, and adds an event if that compares all rows of a class and events are received.
    @inline(__always)
    func recordingScan<Result>(_ evaluate: () -> Result) -> Result {
        if Events.areOn { recordScan(evaluate) } else { evaluate() }
    }

    /// Tables with fewer rows are no reason for an index.
    private static let fewestRows = 64

    @inline(never)
    private func recordScan<Result>(_ evaluate: () -> Result) -> Result {
        guard case .table(let context) = source else { return evaluate() }
        let start = EventMoment.now
        let result = evaluate()
        let (snapshot, catalog) = (instance.snapshot, instance.catalog)
        guard snapshot.table(context.table).count >= QueryState.fewestRows else { return result }
        let explanation = query.explanation(snapshot, catalog)
        guard explanation.access == .scan else { return result }
        let columns = catalog.tables[context.table].columns
        Events.add(
            instance.store.eventName, since: start,
            .scan(
                RealmEvent.Scan(
                    className: context.info.name, rowCount: explanation.rowCount,
                    unusedIndexes: explanation.columns.map { columns[$0].name })))
        return result
    }
}

extension RowQuery {
    /// The name of the type of plain values.
    fileprivate var elementName: String {
        if case .values(_, let element) = source { "\(element)" } else { "values" }
    }
}
