#if canImport(SwiftUI)
import Kivo
import SwiftUI

extension PropertyAccess {
    /// The property as a binding for views.
    var binding: Binding<Value> { Binding(get: { self.read() }, set: { self.write($0) }) }
}

/// The live value of a storage, which a `Binding` reads and replaces.
@MainActor
final class StorageAccess<Value: ThreadConfined & Equatable> {
    private let storage: ValueStorage<Value>

    init(_ storage: ValueStorage<Value>) { self.storage = storage }

    nonisolated func read() -> Value {
        MainActor.pass(()) { storage.live }
    }

    nonisolated func write(_ newValue: Value) {
        MainActor.pass(newValue) { storage.live = $0 }
    }
}

extension Binding where Value: ObjectBase & ThreadConfined {
    /// A binding of a property of the object. It writes in its own transaction or joins the open one.
    @MainActor
    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        PropertyAccess(wrappedValue, keyPath).binding
    }

    /// A binding of a property of the object. It does not write an equal value.
    @MainActor
    public subscript<Subject: Equatable>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        PropertyAccess.equatable(wrappedValue, keyPath).binding
    }

    /// A binding of a list or a set of the object. It is read frozen.
    @MainActor
    public subscript<Subject: RealmCollection>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        PropertyAccess.collection(wrappedValue, keyPath).binding
    }

    /// A binding of a map of the object. It is read frozen.
    @MainActor
    public subscript<Subject: RealmKeyedCollection & Equatable>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        PropertyAccess.collection(wrappedValue, keyPath).binding
    }
}

extension Binding where Value: ProjectionObservable {
    /// A binding of a property of the projection. It writes to the root in its own transaction or joins the open one.
    @MainActor
    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        PropertyAccess(wrappedValue, keyPath).binding
    }

    /// A binding of a property of the projection. It does not write an equal value.
    @MainActor
    public subscript<Subject: Equatable>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        PropertyAccess.equatable(wrappedValue, keyPath).binding
    }

    /// A binding of a list or a set that the projection shows. It is read frozen.
    @MainActor
    public subscript<Subject: RealmCollection>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        PropertyAccess.collection(wrappedValue, keyPath).binding
    }
}

extension Binding where Value: Object {
    /// Deletes the object from its realm, in its own transaction or in the open one. An unmanaged or deleted object is ignored.
    @MainActor
    public func delete() { CollectionEdits.delete([wrappedValue]) }
}

extension Binding where Value: ProjectionObservable {
    /// Deletes the projection's root from its realm, in its own transaction or in the open one. An unmanaged or deleted root is
    /// ignored.
    @MainActor
    public func delete() { CollectionEdits.delete([wrappedValue.rootObject]) }
}

extension ThreadConfined where Self: ObjectBase {
    /// Returns a binding of a property, for views that take one where there is no property wrapper.
    ///
    ///     TextField("Name", text: dog.bind(\.name))
    ///
    /// It writes in its own transaction or joins the open one, and does not write an equal value.
    @MainActor
    public func bind<Value: _Persistable & Equatable>(
        _ keyPath: ReferenceWritableKeyPath<Self, Value>
    ) -> Binding<Value> { PropertyAccess.equatable(self, keyPath).binding }

    /// Returns a binding of a list or a set. It is read frozen.
    @MainActor
    public func bind<Value: _Persistable & RealmCollection>(
        _ keyPath: ReferenceWritableKeyPath<Self, Value>
    ) -> Binding<Value> { PropertyAccess.collection(self, keyPath).binding }

    /// Returns a binding of a map. It is read frozen.
    @MainActor
    public func bind<Value: _Persistable & RealmKeyedCollection & Equatable>(
        _ keyPath: ReferenceWritableKeyPath<Self, Value>
    ) -> Binding<Value> { PropertyAccess.collection(self, keyPath).binding }
}

extension ThreadConfined where Self: ProjectionObservable {
    /// Returns a binding of a property. It writes in its own transaction or joins the open one, and does not write an equal
    /// value.
    @MainActor
    public func bind<Value: Equatable>(
        _ keyPath: ReferenceWritableKeyPath<Self, Value>
    ) -> Binding<Value> { PropertyAccess.equatable(self, keyPath).binding }

    /// Returns a binding of a list or a set. It is read frozen.
    @MainActor
    public func bind<Value: RealmCollection>(
        _ keyPath: ReferenceWritableKeyPath<Self, Value>
    ) -> Binding<Value> { PropertyAccess.collection(self, keyPath).binding }
}
#endif
