/// A value that a rule of the calling layer computes from several properties of an object.
package struct Derivation: Sendable {
    /// The paths to the properties. They lead to the same objects and end with columns of these.
    let paths: [ResolvedPath]
    private let rule: @Sendable ([[Cell]]) -> Cell

    /// Creates a derivation from paths that differ only in their ends. The rule receives the values of each path: one value of a
    /// column, all elements of a list.
    package init(_ paths: [ResolvedPath], _ rule: @escaping @Sendable ([[Cell]]) -> Cell) {
        precondition(!paths.isEmpty && paths.allSatisfy { $0.hops == paths[0].hops })
        self.paths = paths
        self.rule = rule
    }

    /// The hops to the objects.
    var hops: ArraySlice<ResolvedPath.Hop> { paths[0].hops[...] }

    /// Returns the value of one of the objects.
    func value(of row: Row) -> Cell { rule(paths.map { $0.end.cells(of: row) }) }
}

extension ResolvedPath.End {
    fileprivate func cells(of row: Row) -> [Cell] {
        switch self {
        case .column(let column, let kind): return [row.leaf.column(column).cell(row.slot, kind)]
        case .elements(let column, let element):
            var cells: [Cell] = []
            row.sequence(column, element).forEach { cells.append($0) }
            return cells
        case .entry(let entry, let element): return [entry.cell(row, element) ?? .null]
        case .object: return [.link(row.key)]
        case .nested, .position: preconditionFailure("the inputs of a rule are whole properties")
        }
    }
}
