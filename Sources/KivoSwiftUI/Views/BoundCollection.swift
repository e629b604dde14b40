#if canImport(SwiftUI)
import Foundation
import Kivo
import SwiftUI

/// A collection that a view changes: `$dogs` of `@ObservedResults`, and bindings of lists, sets and results.
///
/// Each call writes in its own transaction, or joins the open one. Positions are those that the view shows. If other threads have
/// moved the elements since, the elements that were shown are removed or moved.
@MainActor @preconcurrency
public protocol BoundCollection {
    /// The collection.
    associatedtype Value

    /// The collection as the view shows it.
    var wrappedValue: Value { get }
}

extension BoundCollection {
    // MARK: Lists

    /// Appends an element. An unmanaged object is added to the list's realm.
    public func append<Element>(_ element: Element) where Value == Kivo.List<Element> {
        CollectionEdits.append(element, to: wrappedValue)
    }

    /// Removes the element at a position.
    public func remove<Element>(at index: Int) where Value == Kivo.List<Element> {
        CollectionEdits.remove(atOffsets: [index], of: wrappedValue)
    }

    /// Removes elements at positions, for use in `onDelete(perform:)`.
    public func remove<Element>(atOffsets offsets: IndexSet) where Value == Kivo.List<Element> {
        CollectionEdits.remove(atOffsets: offsets, of: wrappedValue)
    }

    /// Moves elements in front of another position, for use in `onMove(perform:)`.
    public func move<Element>(
        fromOffsets offsets: IndexSet, toOffset destination: Int
    ) where Value == Kivo.List<Element> {
        CollectionEdits.move(fromOffsets: offsets, toOffset: destination, in: wrappedValue)
    }

    // MARK: Sets

    /// Inserts a member. An unmanaged object is added to the set's realm.
    public func insert<Element>(_ element: Element) where Value == MutableSet<Element> {
        CollectionEdits.insert(element, into: wrappedValue)
    }

    /// Removes a member, if it is in the set.
    public func remove<Element>(_ element: Element) where Value == MutableSet<Element> {
        CollectionEdits.remove(element, from: wrappedValue)
    }

    // MARK: Results

    /// Adds an object to the realm. It is among the results if it matches their query.
    public func append<Element: Object>(_ object: Element) where Value == Results<Element> {
        CollectionEdits.append(object, to: wrappedValue)
    }

    /// Adds the root of a projection to the realm.
    public func append<Element: ProjectionObservable>(
        _ projection: Element
    ) where Value == Results<Element>, Element.Root: Object {
        CollectionEdits.append(projection.rootObject, to: wrappedValue)
    }

    /// Deletes an object, or a projection's root, if it is among the results.
    ///
    /// - Precondition: The object is managed.
    public func remove<Element: RealmFetchable>(_ element: Element) where Value == Results<Element> {
        CollectionEdits.remove(element, of: wrappedValue)
    }

    /// Deletes objects at positions, for use in `onDelete(perform:)`.
    public func remove<Element: RealmFetchable>(atOffsets offsets: IndexSet) where Value == Results<Element> {
        CollectionEdits.remove(atOffsets: offsets, of: wrappedValue)
    }
}

extension Binding: BoundCollection where Value: RealmCollection {}

/// A map that a view changes: bindings of maps.
@MainActor @preconcurrency
public protocol BoundMap {
    /// The map.
    associatedtype Value: RealmKeyedCollection

    /// The map as the view shows it.
    var wrappedValue: Value { get }
}

extension BoundMap {
    /// The value of a key, or nil if there is none.
    public subscript(key: Value.Key) -> Value.Value? { wrappedValue[key] }

    /// Sets the value of a key, in its own transaction or in the open one. Nil removes the entry. An unmanaged object is added to
    /// the map's realm.
    public func set(object: Value.Value?, for key: Value.Key) {
        CollectionEdits.set(object, for: key, in: wrappedValue)
    }
}

extension Binding: BoundMap where Value: RealmKeyedCollection {}
#endif
