import Foundation
import Kivo

/// The notifications of observers, recorded as they arrive.
extension KeyValueCaseWorld {
    func record(
        _ observer: String, _ object: Any?, _ keyPath: String?, _ change: [NSKeyValueChangeKey: Any]?,
        _ context: UnsafeMutableRawPointer?
    ) {
        guard isRecording else { return }
        var entries: [String: RecordedValue] = [:]
        for (key, name) in [(NSKeyValueChangeKey.oldKey, "old"), (.newKey, "new")] {
            if let value = change?[key] { entries[name] = recorded(value) }
        }
        if let indexes = change?[.indexesKey] as? IndexSet { entries["indexes"] = Self.recorded(indexes) }
        let isPrior = change?[.notificationIsPriorKey] as? Bool
        if let isPrior { entries["isPrior"] = .bool(isPrior) }
        let kind = (change?[.kindKey] as? UInt).flatMap(NSKeyValueChange.init)
        records.append(
            KeyValueCaseRecord(
                at: step, observer: observer, objects: paths(object), keyPath: keyPath ?? "(no key path)",
                kind: kind.map(Self.name) ?? "(no kind)", isPrior: isPrior ?? false, entries: entries,
                context: contexts.label(context)))
    }

    /// Records a notification of a typed observation.
    func record(
        _ observer: String, _ object: any KeyValueCaseModel, _ keyPath: String,
        _ change: KeyValueCaseTypedChange
    ) {
        guard isRecording else { return }
        var entries: [String: RecordedValue] = [:]
        if let old = change.old { entries["old"] = RecordedValue(old, names: names) }
        if let new = change.new { entries["new"] = RecordedValue(new, names: names) }
        if let indexes = change.indexes { entries["indexes"] = Self.recorded(indexes) }
        records.append(
            KeyValueCaseRecord(
                at: step, observer: observer, objects: paths(object), keyPath: keyPath,
                kind: Self.name(change.kind), isPrior: change.isPrior, entries: entries, context: "null",
                isTyped: true))
    }

    private func paths(_ object: Any?) -> [String] {
        guard let object else { return [] }
        let identity = object as AnyObject
        return targets.filter { $0.object.object === identity }.map(\.path)
    }

    /// A value of a record: nil has to be the null marker there.
    private func recorded(_ value: Any) -> RecordedValue {
        if flattened(value) == nil { return .other("nil instead of the null marker") }
        return RecordedValue(value, names: names)
    }

    private static func recorded(_ indexes: IndexSet) -> RecordedValue {
        .list(indexes.map { .number(Double($0)) })
    }

    private static func name(_ kind: NSKeyValueChange) -> String {
        switch kind {
        case .setting: "setting"
        case .insertion: "insertion"
        case .removal: "removal"
        case .replacement: "replacement"
        @unknown default: "\(kind.rawValue)"
        }
    }
}
