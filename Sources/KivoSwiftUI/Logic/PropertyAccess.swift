import Kivo

/// A property that a `Binding` reads and writes.
///
/// It reads the live object. After the object was deleted, it returns the last value and ignores writes, because SwiftUI reads
/// bindings of views that are about to disappear.
@MainActor
package final class PropertyAccess<Root: ThreadConfined, Value> {
    private let root: Root?
    private let keyPath: ReferenceWritableKeyPath<Root, Value>
    private let form: (Value) -> Value
    private let isSame: (Value, Value) -> Bool
    private var last: Value

    /// Binds a property of a value, which can be frozen.
    ///
    /// - Parameters:
    ///   - form: The form in which the value is read.
    ///   - isSame: Whether writing the second value in place of the first can be skipped.
    package init(
        _ root: Root, _ keyPath: ReferenceWritableKeyPath<Root, Value>,
        form: @escaping (Value) -> Value = { $0 },
        isSame: @escaping (Value, Value) -> Bool = { _, _ in false }
    ) {
        let live = root.isFrozen ? root.thaw() : root
        self.root = live
        (self.keyPath, self.form, self.isSame) = (keyPath, form, isSame)
        last = form((live ?? root)[keyPath: keyPath])
    }

    private var liveRoot: Root? { root.flatMap { $0.isInvalidated ? nil : $0 } }

    /// The current value, or the last one that was read before the object was deleted.
    package var value: Value {
        get {
            if let root = liveRoot { last = form(root[keyPath: keyPath]) }
            return last
        }
        set {
            guard let root = liveRoot else { return }
            let value = Transacting.liveForm(newValue)
            if isSame(root[keyPath: keyPath], value) { return }
            Transacting.write(root) { $0[keyPath: keyPath] = value }
        }
    }

    /// Reads the value on the main actor. Traps elsewhere.
    nonisolated package func read() -> Value {
        MainActor.pass(()) { value }
    }

    /// Writes a value on the main actor. Traps elsewhere.
    nonisolated package func write(_ newValue: Value) {
        MainActor.pass(newValue) { value = $0 }
    }
}

extension PropertyAccess where Value: Equatable {
    /// Binds a property. A value that is equal to the current one is not written.
    package static func equatable(
        _ root: Root, _ keyPath: ReferenceWritableKeyPath<Root, Value>
    ) -> PropertyAccess {
        PropertyAccess(root, keyPath, isSame: { $0 == $1 })
    }
}

extension PropertyAccess where Value: ThreadConfined {
    /// Binds a collection. It is read frozen, because views compare it.
    package static func collection(
        _ root: Root, _ keyPath: ReferenceWritableKeyPath<Root, Value>
    ) -> PropertyAccess {
        var frozen = FrozenCache<Value>()
        return PropertyAccess(
            root, keyPath, form: { $0.isInvalidated || $0.realm == nil ? $0 : frozen.frozenForm(of: $0) })
    }
}
