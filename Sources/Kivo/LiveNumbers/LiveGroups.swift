import KivoEngine
import KivoObserving
import Observation

/// A number for each group of elements with equal keys: their number, or the sum or average of a property. It follows the elements
/// like a ``LiveNumber``.
///
///     let amounts = realm.objects(Order.self).grouped(by: \.shop).sum(of: \.amount)
///     let token = amounts.observe { change in
///         for (shop, amount) in change.insertions { chart.add(shop, amount) }
///         for (shop, amount) in change.modifications { chart.set(shop, amount) }
///         for shop in change.deletions { chart.remove(shop) }
///     }
///
/// Keys without elements have no group. Elements with a nil key form a group of their own. Values of a type that is stored as
/// another, such as ``CustomPersistable``, have to be equal only if their stored values are.
///
/// Confined to the thread, queue or actor of its realm.
public final class LiveGroups<Key: Hashable, Value> {
    let groups: GroupState
    let keys: GroupKeys<Key>
    let convert: (Cell) -> Value
    /// The observations by key path.
    var watch = LiveWatch()

    init(_ groups: GroupState, _ keys: GroupKeys<Key>, _ convert: @escaping (Cell) -> Value) {
        (self.groups, self.keys, self.convert) = (groups, keys, convert)
    }

    /// The numbers by key.
    ///
    /// - Complexity: O(g) for g groups while they are observed; otherwise O(n) at the first read after a change.
    public var values: [Key: Value] {
        noteTrackedRead()
        return keys.dictionary(groups.current, convert)
    }

    /// The number of groups.
    ///
    /// - Complexity: O(1) while the groups are observed; otherwise O(n) at the first read after a change.
    public var count: Int {
        noteTrackedRead()
        return groups.current.count
    }

    /// Returns the number of the group with a key, or nil if there is none.
    ///
    /// - Complexity: O(1) while the groups are observed; otherwise O(n) at the first read after a change.
    public subscript(key: Key) -> Value? {
        noteTrackedRead()
        return keys.cell(key).flatMap { groups.current.result(of: $0) }.map(convert)
    }

    /// Records that the groups were read, if reads are being recorded.
    private func noteTrackedRead() {
        guard groups.query.isNoting else { return }
        groups.trackedResult = .noting(groups.trackedResult, instance) { GroupListener(groups) { _, _ in } }
    }
}

extension LiveGroups: Observable {}

@available(*, unavailable)
extension LiveGroups: Sendable {}

extension LiveGroups: CustomStringConvertible {
    /// The numbers by key, in words.
    public var description: String { "\(values)" }
}

/// The conversion between the keys of groups and their cells.
struct GroupKeys<Key: Hashable> {
    let key: (Cell) -> Key
    /// Returns the cell of a key, or nil if no group can have it.
    let cell: (Key) -> Cell?

    /// Returns the converted results of all groups by key. O(groups).
    func dictionary<Value>(_ fold: GroupFold, _ convert: (Cell) -> Value) -> [Key: Value] {
        var values: [Key: Value] = [:]
        values.reserveCapacity(fold.count)
        fold.forEach { values[key($0)] = convert($1) }
        return values
    }
}

/// The groups whose numbers changed since an observer was called last.
public struct LiveGroupsChange<Key: Hashable, Value> {
    /// The numbers of the groups that are new; in the first call of an observer, of all groups.
    public let insertions: [Key: Value]
    /// The numbers of the groups that have become others.
    public let modifications: [Key: Value]
    /// The keys of the groups that have no elements any more.
    public let deletions: [Key]
}

extension LiveGroupsChange: Sendable where Key: Sendable, Value: Sendable {}

extension LiveGroups: KeyValueObservable {
    public var _observing: _ObservedClass { _ObservedClass(LiveClass.only) }

    /// Returns the value of the only key, `"values"`; another key traps.
    public func value(forKey key: String) -> Any? { liveValue(forKey: key) }

    /// Traps: the groups follow their collection.
    public func setValue(_ value: Any?, forKey key: String) { trapSet(key) }
}

extension LiveGroups: LiveSubject {
    var instance: RealmInstance { groups.query.instance }
    static var liveKey: (name: String, keyPath: AnyKeyPath) { ("values", \LiveGroups.values) }
    var current: Any { values }

    func makeListener(_ call: @escaping (Any) -> Void) -> Listener {
        var values: [Key: Value] = [:]
        return GroupListener(groups) { [keys, convert] changes, fold in
            let edits = changes?.map { (key: keys.key($0.key), value: $0.after.map(convert)) }
            // A key that does not equal itself, NaN, is never found again.
            if let edits, edits.allSatisfy({ $0.key == $0.key }) {
                for (key, value) in edits { values[key] = value }
            } else {
                values = keys.dictionary(fold, convert)
            }
            call(values)
        }
    }
}
