import Kivo

/// Writes that views cause: each in a write transaction of its own, or in the one that is open.
@MainActor
package enum Transacting {
    /// Calls a closure with the live form of a value, inside of a write transaction if it is managed.
    ///
    /// An open transaction is joined, and stays open. A value that was deleted meanwhile is ignored: a view can be behind by one
    /// evaluation. An error of the transaction traps, because a binding cannot throw.
    package static func write<Value: ThreadConfined>(_ value: Value, _ body: (Value) -> Void) {
        if value.isInvalidated { return }
        guard value.realm != nil else { return body(value) }
        guard let live = value.isFrozen ? value.thaw() : value, let realm = live.realm else { return }
        if realm.isInWriteTransaction { return live.isInvalidated ? () : body(live) }
        do {
            // Beginning a write moves to the newest version, in which the value may be gone.
            try realm.write { live.isInvalidated ? () : body(live) }
        } catch {
            fatalError(
                """
                A write that a SwiftUI view caused to a value of type '\(Value.self)' failed: \(error). Write by \
                'realm.write' where errors have to be handled.
                """)
        }
    }

    /// An element as it is given to a live object or collection: frozen objects and collections as the live ones.
    package static func liveForm<Element>(_ element: Element) -> Element {
        if let value = element as? AnyRealmValue, case .object(let object) = value {
            return (AnyRealmValue.object(liveObject(object)) as? Element) ?? element
        }
        guard let confined = element as? any ThreadConfined, confined.isFrozen else { return element }
        return (confined.thaw() as? Element) ?? element
    }

    private static func liveObject<Target: ObjectBase>(_ object: Target) -> Target {
        object.isFrozen ? object.thaw() ?? object : object
    }
}
