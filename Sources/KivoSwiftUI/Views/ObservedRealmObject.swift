#if canImport(SwiftUI)
import Combine
import Kivo
import SwiftUI

/// An object, a projection or a collection that a parent passes to a view. Its changes evaluate the view's body again.
///
///     struct DogRow: View {
///         @ObservedRealmObject var dog: Dog
///
///         var body: some View { Toggle(dog.name, isOn: $dog.isFed) }
///     }
///
/// The parent can pass a frozen value, for example an element of `@ObservedResults`: the live value is held and observed. The
/// property reads the frozen form of a managed value, and an unmanaged value itself. After a deletion it reads an empty value.
/// `$dog.isFed` is a `Binding` of a property, which writes in its own transaction or joins the open one.
@MainActor
@propertyWrapper public struct ObservedRealmObject<ObjectType: ThreadConfined & Equatable>: DynamicProperty {
    /// The live value. Its members are bindings of its properties.
    @MainActor
    @dynamicMemberLookup public struct Wrapper {
        /// The live value.
        public var wrappedValue: ObjectType

        /// A binding of a property.
        public subscript<Subject>(
            dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
        ) -> Binding<Subject> {
            PropertyAccess(wrappedValue, keyPath).binding
        }

        /// A binding of a property. It does not write an equal value.
        public subscript<Subject: Equatable>(
            dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
        ) -> Binding<Subject> {
            PropertyAccess.equatable(wrappedValue, keyPath).binding
        }

        /// A binding of a list or a set. It is read frozen.
        public subscript<Subject: RealmCollection>(
            dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
        ) -> Binding<Subject> {
            PropertyAccess.collection(wrappedValue, keyPath).binding
        }

        /// A binding of a map. It is read frozen.
        public subscript<Subject: RealmKeyedCollection & Equatable>(
            dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
        ) -> Binding<Subject> {
            PropertyAccess.collection(wrappedValue, keyPath).binding
        }
    }

    @ObservedObject private var storage: ValueStorage<ObjectType>

    /// The frozen value, or the value itself if it is unmanaged. Setting it replaces the value.
    public var wrappedValue: ObjectType {
        get { storage.shown }
        set { storage.live = newValue }
    }

    /// The live value. Its members are bindings.
    public var projectedValue: Wrapper { Wrapper(wrappedValue: storage.live) }

    private init(_ storage: ValueStorage<ObjectType>) { _storage = ObservedObject(wrappedValue: storage) }

    /// Wraps an object.
    public init(wrappedValue: ObjectType) where ObjectType: ObjectBase & Identifiable {
        self.init(ValueStorage(wrappedValue, .object))
    }

    /// Wraps a projection.
    public init(wrappedValue: ObjectType) where ObjectType: ProjectionObservable {
        self.init(ValueStorage(wrappedValue, .projection))
    }

    /// Wraps a list.
    public init<Value>(wrappedValue: ObjectType) where ObjectType == Kivo.List<Value> {
        self.init(ValueStorage(wrappedValue, .collection { ObjectType() }))
    }

    /// Wraps a set.
    public init<Value>(wrappedValue: ObjectType) where ObjectType == MutableSet<Value> {
        self.init(ValueStorage(wrappedValue, .collection { ObjectType() }))
    }

    /// Wraps a map.
    public init<Key, Value>(wrappedValue: ObjectType) where ObjectType == Map<Key, Value> {
        self.init(ValueStorage(wrappedValue, .map { ObjectType() }))
    }
}

extension ObservedRealmObject.Wrapper where ObjectType: ObjectBase {
    /// Deletes the object from its realm, in its own transaction or in the open one. An unmanaged or deleted object is ignored.
    public func delete() { CollectionEdits.delete([wrappedValue]) }
}

extension ObservedRealmObject.Wrapper where ObjectType: ProjectionObservable {
    /// Deletes the projection's root; see ``delete()``.
    public func delete() { CollectionEdits.delete([wrappedValue.rootObject]) }
}

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

/// The publisher of a storage. A view's subscription to it subscribes to the storage's relay.
package struct RelayPublisher: Publisher {
    package typealias Output = Void
    package typealias Failure = Never

    let relay: ChangeRelay

    /// Subscribes on the main actor. Traps elsewhere.
    package func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        MainActor.pass(subscriber) { subscriber in
            let subscription = relay.subscribe { _ = subscriber.receive(()) }
            subscriber.receive(subscription: RelaySubscription(subscription))
        }
    }
}

/// The subscription of a view.
final class RelaySubscription: Combine.Subscription {
    private let subscription: ChangeRelay.Subscription

    init(_ subscription: ChangeRelay.Subscription) { self.subscription = subscription }

    func request(_ demand: Subscribers.Demand) {}

    func cancel() { subscription.end() }
}

extension ValueStorage: ObservableObject {
    nonisolated package var objectWillChange: RelayPublisher { RelayPublisher(relay: relay) }
}

extension ResultsStorage: ObservableObject {
    nonisolated package var objectWillChange: RelayPublisher { RelayPublisher(relay: relay) }
}

extension SectionedStorage: ObservableObject {
    nonisolated package var objectWillChange: RelayPublisher { RelayPublisher(relay: results.relay) }
}

extension OpeningStorage: ObservableObject {
    nonisolated package var objectWillChange: RelayPublisher { RelayPublisher(relay: relay) }
}
#endif
