import Synchronization

/// The change dictionary of the assignments that an observation by name notifies, which each of them fills again: to make a
/// dictionary costs more than the rest of a notification.
///
/// It keeps no objects alive between notifications. An observer that keeps the dictionary has a copy of its own, like of any dictionary.
/// While a notification uses it, others, nested or on other threads, make theirs.
final class ReusedRecord {
    private let isTaken = Atomic<Bool>(false)
    // The notification that has taken the dictionary accesses the rest.
    @exclusivity(unchecked) private var record: [NSKeyValueChangeKey: Any]
    private let oldIndex: Dictionary<NSKeyValueChangeKey, Any>.Index?
    private let newIndex: Dictionary<NSKeyValueChangeKey, Any>.Index?
    @exclusivity(unchecked) private var form = RecordedForm.unknown
    /// Whether the values are numbers, which can stay in the dictionary until the next notification.
    @exclusivity(unchecked) private var areNumbers = false

    init(_ options: NSKeyValueObservingOptions) {
        record = [.kindKey: NSKeyValueChange.setting.rawValue]
        if options.contains(.old) { record[.oldKey] = Self.nothing }
        if options.contains(.new) { record[.newKey] = Self.nothing }
        oldIndex = record.index(forKey: .oldKey)
        newIndex = record.index(forKey: .newKey)
    }

    private static var nothing: Int { 0 }

    /// Calls `body` with the dictionary of an assignment. Returns false if another notification uses it at the moment.
    ///
    /// - Parameters:
    ///   - old: the address of the value before the assignment.
    ///   - new: the address of the assigned value.
    ///   - type: the type of both.
    ///   - load: returns the value at an address.
    @inline(__always)
    func filled(
        _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ type: Any.Type, _ load: (UnsafeRawPointer) -> Any,
        _ body: ([NSKeyValueChangeKey: Any]) -> Void
    ) -> Bool {
        if isTaken.exchange(true, ordering: .acquiring) { return false }
        if case .unknown = form {
            form = RecordedForm(of: type, load(new))
            areNumbers = type == Int.self || type == Double.self || type == Bool.self
        }
        if let oldIndex { record.values[oldIndex] = form.value(at: old, load) }
        if let newIndex { record.values[newIndex] = form.value(at: new, load) }
        body(record)
        if !areNumbers {
            if let oldIndex { record.values[oldIndex] = Self.nothing }
            if let newIndex { record.values[newIndex] = Self.nothing }
        }
        isTaken.store(false, ordering: .releasing)
        return true
    }
}
