#if canImport(SwiftUI)
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
#endif
