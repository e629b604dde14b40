import Foundation

/// The kind of a change, for key-value observers.
@usableFromInline
package enum CollectionChangeKind {
    /// A replacement of the property's value, or of all contents of a collection.
    case wholesale
    case insertion(Range<Int>)
    /// Several insertions at once, with the positions after all of them.
    case scatteredInsertion([Int])
    case removal(Positions)
    case replacement(Positions)
    /// A change that the app announces, at positions as above. The elements must exist.
    case announced(NSKeyValueChange, [Int])
    /// A change of a set that the app announces, with the removed and the inserted members.
    case setMutation(NSKeyValueSetMutationKind, removed: Set<AnyHashable>, inserted: Set<AnyHashable>)

    /// The kind that observers receive.
    @usableFromInline package var change: NSKeyValueChange {
        switch self {
        case .wholesale: .setting
        case .insertion, .scatteredInsertion, .setMutation(.union, _, _): .insertion
        case .removal, .setMutation(.minus, _, _), .setMutation(.intersect, _, _): .removal
        case .announced(let change, _): change
        case .replacement, .setMutation: .replacement
        }
    }

    /// The positions that observers receive.
    @usableFromInline package var indexes: IndexSet? {
        switch self {
        case .wholesale, .setMutation: nil
        case .insertion(let range): IndexSet(integersIn: range)
        case .scatteredInsertion(let indices), .announced(_, let indices): IndexSet(indices)
        case .removal(let positions), .replacement(let positions): positions.indexSet
        }
    }

    /// Creates the kind of a change with positions that the app announces.
    package init(_ change: NSKeyValueChange, _ indexes: IndexSet) {
        self = change == .setting ? .wholesale : .announced(change, Array(indexes))
    }
}
