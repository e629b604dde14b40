import Foundation

#if !canImport(ObjectiveC)
/// The values and additional notifications that a key-value observer receives.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// Creates options from their bits.
    @inlinable
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value after the change.
    @inlinable public static var new: NSKeyValueObservingOptions { .init(rawValue: 1) }
    /// The value before the change.
    @inlinable public static var old: NSKeyValueObservingOptions { .init(rawValue: 2) }
    /// An initial notification, before the registering call returns.
    @inlinable public static var initial: NSKeyValueObservingOptions { .init(rawValue: 4) }
    /// A notification before each change, in addition to the one after it.
    @inlinable public static var prior: NSKeyValueObservingOptions { .init(rawValue: 8) }
}

/// The entries of a change dictionary.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The name of the entry.
    public let rawValue: String
    /// The position of the name among those below, or -1. Keys with a position are compared and hashed by it alone: an observer
    /// looks up an entry or two in each notification.
    @usableFromInline let position: Int

    /// Creates the key of an entry from its name.
    public init(rawValue: String) {
        let names = [Self.kindKey, .newKey, .oldKey, .indexesKey, .notificationIsPriorKey]
        self.init(rawValue, names.firstIndex { $0.rawValue == rawValue } ?? -1)
    }

    @inlinable
    init(_ rawValue: String, _ position: Int) {
        self.rawValue = rawValue
        self.position = position
    }

    /// The raw value (`UInt`) of the ``NSKeyValueChange``. Always present.
    @inlinable public static var kindKey: NSKeyValueChangeKey { .init("kind", 0) }
    /// The value after the change; the affected elements for insertions and replacements.
    @inlinable public static var newKey: NSKeyValueChangeKey { .init("new", 1) }
    /// The value before the change; the affected elements for removals and replacements.
    @inlinable public static var oldKey: NSKeyValueChangeKey { .init("old", 2) }
    /// The positions (`IndexSet`) of the affected elements: after the change for insertions, before it otherwise.
    @inlinable public static var indexesKey: NSKeyValueChangeKey { .init("indexes", 3) }
    /// Present and true in a notification before a change.
    @inlinable public static var notificationIsPriorKey: NSKeyValueChangeKey {
        .init("notificationIsPrior", 4)
    }

    /// Whether two keys have the same name.
    @inlinable
    public static func == (a: NSKeyValueChangeKey, b: NSKeyValueChangeKey) -> Bool {
        a.position == b.position && (a.position >= 0 || a.rawValue == b.rawValue)
    }

    /// Hashes the name.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        if position >= 0 { hasher.combine(position) } else { hasher.combine(rawValue) }
    }

    /// Hashes the key for dictionaries. The known names need no random distribution: they are few, and each has its own position.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int {
        if position >= 0 { return position ^ seed }
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(rawValue)
        return hasher.finalize()
    }
}

/// The token of a typed observation, by Cocoa's name. Foundation has a class of this name on Apple's platforms.
public typealias NSKeyValueObservation = KeyValueObservation
/// The change that a typed observer receives, by Cocoa's name. Foundation has a structure of this name on Apple's platforms.
public typealias NSKeyValueObservedChange<Value> = KeyValueObservedChange<Value>
/// The typed rules of a class, by Cocoa's name. Foundation has a protocol of this name on Apple's platforms.
public typealias NSKeyValueObservingCustomization = KeyValueObservingCustomization
#endif

/// An observer that is notified of changes by the name of a key path.
public protocol KeyValueObserver: AnyObject {
    /// Receives a notification after each change for which the observer is registered, and with the option `prior` also before
    /// it.
    ///
    /// - Parameters:
    ///   - keyPath: the key path as it was registered.
    ///   - object: the object it was registered on.
    ///   - change: the entries of the change; see `NSKeyValueChangeKey`. Values of `Float` and of the narrow integers can be read
    ///     as `Double` and `Int`, too.
    ///   - context: the context of the registration.
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?)
}

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

#if !canImport(ObjectiveC)
/// The kind of change that a notification reports.
public enum NSKeyValueChange: UInt, Sendable {
    /// An assignment of the property, or a replacement of all contents of a collection.
    case setting = 1
    /// An insertion of elements into an ordered collection.
    case insertion = 2
    /// A removal of elements from an ordered collection.
    case removal = 3
    /// A replacement of elements of an ordered collection.
    case replacement = 4
}

/// The operation by which a set is changed, in notifications that the app announces.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// An insertion of members.
    case union = 1
    /// A removal of members.
    case minus = 2
    /// A removal of all but some members.
    case intersect = 3
    /// A replacement of all members by others.
    case set = 4
}
#endif
