import Foundation

/// What kind of change key-value observers are told of.
@usableFromInline
enum CollectionChangeKind {
    /// The property has another value, or a collection another content.
    case wholesale
    case insertion(Range<Int>)
    /// Several insertions at once; positions after them.
    case scatteredInsertion([Int])
    case removal(Positions)
    case replacement(Positions)
    /// A change that somebody announces, at positions as above. The elements have to be there.
    case announced(NSKeyValueChange, [Int])
    /// A change of a set announced by hand: the members that left and those that came in.
    case setMutation(NSKeyValueSetMutationKind, left: Set<AnyHashable>, came: Set<AnyHashable>)

    /// The kind as observers are told.
    @usableFromInline var change: NSKeyValueChange {
        switch self {
        case .wholesale: .setting
        case .insertion, .scatteredInsertion, .setMutation(.union, _, _): .insertion
        case .removal, .setMutation(.minus, _, _), .setMutation(.intersect, _, _): .removal
        case .announced(let change, _): change
        case .replacement, .setMutation: .replacement
        }
    }

    /// The positions as observers are told.
    @usableFromInline var indexes: IndexSet? {
        switch self {
        case .wholesale, .setMutation: nil
        case .insertion(let range): IndexSet(integersIn: range)
        case .scatteredInsertion(let indices), .announced(_, let indices): IndexSet(indices)
        case .removal(let positions), .replacement(let positions): positions.indexSet
        }
    }

    /// The kind that a hand-written change with positions means.
    init(_ change: NSKeyValueChange, _ indexes: IndexSet) {
        self = change == .setting ? .wholesale : .announced(change, Array(indexes))
    }
}
