#if canImport(SwiftUI)
import Combine
import Kivo
import SwiftUI

/// An object, a projection or a collection that a view creates and owns. Its changes evaluate the view's body again.
///
///     @StateRealmObject var dog = Dog()
///
///     var body: some View {
///         TextField("Name", text: $dog.name)
///         Text(dog.name)
///     }
///
/// SwiftUI evaluates the initial value once for each identity of the view. The property reads the frozen form of a managed value,
/// and an unmanaged value itself. After a deletion it reads an empty value. `$dog` is a `Binding` of the live value, and
/// `$dog.name` a `Binding` of a property, which writes in its own transaction or joins the open one.
///
/// An unmanaged object is observed as well, and can be added to a realm meanwhile. An unmanaged collection is not observed.
@MainActor
@propertyWrapper public struct StateRealmObject<T: ThreadConfined & Equatable>: DynamicProperty {
    @StateObject private var storage: ValueStorage<T>

    /// The frozen value, or the value itself if it is unmanaged. Setting it replaces the value.
    public var wrappedValue: T {
        get { storage.shown }
        nonmutating set { storage.live = newValue }
    }

    /// A binding of the live value.
    public var projectedValue: Binding<T> {
        let access = StorageAccess(storage)
        return Binding(get: { access.read() }, set: { access.write($0) })
    }

    private init(_ storage: ValueStorage<T>) { _storage = StateObject(wrappedValue: storage) }

    /// Wraps an object.
    public init(wrappedValue: T) where T: ObjectBase & Identifiable {
        self.init(ValueStorage(wrappedValue, .object))
    }

    /// Wraps a projection.
    public init(wrappedValue: T) where T: ProjectionObservable {
        self.init(ValueStorage(wrappedValue, .projection))
    }

    /// Wraps a list.
    public init<Value>(wrappedValue: T) where T == Kivo.List<Value> {
        self.init(ValueStorage(wrappedValue, .collection { T() }))
    }

    /// Wraps a set.
    public init<Value>(wrappedValue: T) where T == MutableSet<Value> {
        self.init(ValueStorage(wrappedValue, .collection { T() }))
    }

    /// Wraps a map.
    public init<Key, Value>(wrappedValue: T) where T == Map<Key, Value> {
        self.init(ValueStorage(wrappedValue, .map { T() }))
    }

    /// The publisher of changes. Not for use by applications.
    public var _publisher: some Publisher<Void, Never> { storage.objectWillChange }
}
#endif
