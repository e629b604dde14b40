import Foundation
import Kivo

/// Records the notifications of a key-value observer.
final class ValueRecorder: KeyValueObserver {
    var calls: [String] = []
    var body: () -> Void = {}

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        calls.append(Self.text(keyPath ?? "?", change ?? [:]))
        body()
    }

    /// The name, the kind and what else there is, as `name 1 old… new… at… prior`.
    private static func text(_ name: String, _ change: [NSKeyValueChangeKey: Any]) -> String {
        var parts = [name, "\(change[.kindKey] ?? "no kind")"]
        if let old = change[.oldKey] { parts.append("old \(describe(old))") }
        if let new = change[.newKey] { parts.append("new \(describe(new))") }
        if let indexes = change[.indexesKey] as? IndexSet { parts.append("at \(Array(indexes))") }
        if change[.notificationIsPriorKey] as? Bool == true { parts.append("prior") }
        return parts.joined(separator: " ")
    }

    private static func describe(_ value: Any) -> String {
        switch value {
        case is NSNull: "null"
        case let dog as Dog: dog.isInvalidated ? "dead dog" : dog.name
        case let values as [Any]: "[" + values.map { describe($0) }.joined(separator: ", ") + "]"
        default: "\(value)"
        }
    }
}

extension RealmTestCase {
    /// Registers a recorder as an observer of a property.
    func observe(
        _ object: ObjectBase, _ keyPath: String, _ options: NSKeyValueObservingOptions = [.old, .new]
    ) -> ValueRecorder {
        let recorder = ValueRecorder()
        object.addObserver(recorder, forKeyPath: keyPath, options: options)
        return recorder
    }

    /// An unmanaged and a managed object; assignments are made inside of a write transaction.
    func onBothKinds<T: Object>(_ make: () -> T, _ body: (T) throws -> Void) throws {
        try body(make())
        let realm = try openRealm()
        let object = make()
        realm.beginWrite()
        realm.add(object)
        try body(object)
        realm.cancelWrite()
    }
}
