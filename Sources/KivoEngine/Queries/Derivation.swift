/// A value that a rule of the layer above makes of several properties of an object together.
public struct Derivation: Sendable {
    /// Where the properties are: paths that lead to the same objects and end with columns of theirs.
    let paths: [ResolvedPath]
    private let rule: @Sendable ([[Cell]]) -> Cell

    /// A rule for the values of some paths, which differ in nothing but their ends. It is given the values of each path: one
    /// of a column, and all elements of a list.
    public init(_ paths: [ResolvedPath], _ rule: @escaping @Sendable ([[Cell]]) -> Cell) {
        precondition(!paths.isEmpty && paths.allSatisfy { $0.hops == paths[0].hops })
        self.paths = paths
        self.rule = rule
    }

    /// The way to the objects.
    var hops: ArraySlice<ResolvedPath.Hop> { paths[0].hops[...] }

    /// The value of one of the objects.
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
        case .nested, .position: preconditionFailure("a rule is given whole properties")
        }
    }
}
