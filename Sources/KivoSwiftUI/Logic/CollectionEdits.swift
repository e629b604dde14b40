import Foundation
import Kivo

/// Edits of collections by views.
///
/// Positions are those of the collection as the view shows it. The write transaction begins at the newest version, in which other
/// threads may have moved elements. Each position is therefore looked up again by its element.
@MainActor
package enum CollectionEdits {
    // MARK: Lists

    /// Appends an element. An unmanaged element is added to the list's realm.
    package static func append<Element>(_ element: Element, to list: List<Element>) {
        Transacting.write(list) { $0.append(Transacting.liveForm(element)) }
    }

    /// Removes elements at positions. Elements that no longer exist are ignored.
    package static func remove<Element>(atOffsets offsets: IndexSet, of list: List<Element>) {
        let shown = offsets.filter { $0 < list.count }.map { ($0, list[$0]) }
        Transacting.write(list) { live in
            let positions = shown.compactMap { position(of: $0.1, near: $0.0, in: live) }
            live.remove(atOffsets: IndexSet(positions))
        }
    }

    /// Moves elements in front of another position, counted as in `onMove(perform:)`.
    package static func move<Element>(
        fromOffsets offsets: IndexSet, toOffset destination: Int, in list: List<Element>
    ) {
        let shown = offsets.filter { $0 < list.count }.map { ($0, list[$0]) }
        let next = destination < list.count ? list[destination] : nil
        Transacting.write(list) { live in
            let positions = shown.compactMap { position(of: $0.1, near: $0.0, in: live) }
            let target = next.map {
                position(of: $0, near: destination, in: live) ?? min(destination, live.count)
            }
            live.move(fromOffsets: IndexSet(positions), toOffset: target ?? live.count)
        }
    }

    /// Returns the position of an element that a view shows, or nil if it no longer exists.
    private static func position<Element>(of element: Element, near offset: Int, in live: List<Element>)
        -> Int?
    {
        let element = Transacting.liveForm(element)
        if (element as? any ThreadConfined)?.isInvalidated == true { return nil }
        if offset < live.count, isSame(live[offset], element) { return offset }
        return live.index(of: element)
    }

    private static func isSame<Element>(_ a: Element, _ b: Element) -> Bool where Element: Equatable {
        if let a = a as? ObjectBase, let b = b as? ObjectBase { return a.isSameObject(as: b) }
        return a == b
    }

    // MARK: Sets

    /// Inserts a member. An unmanaged member is added to the set's realm.
    package static func insert<Element>(_ element: Element, into set: MutableSet<Element>) {
        Transacting.write(set) { $0.insert(Transacting.liveForm(element)) }
    }

    /// Removes a member.
    package static func remove<Element>(_ element: Element, from set: MutableSet<Element>) {
        Transacting.write(set) { live in
            let element = Transacting.liveForm(element)
            if (element as? any ThreadConfined)?.isInvalidated != true { live.remove(element) }
        }
    }

    // MARK: Maps

    /// Sets the value of a key; nil removes the entry.
    package static func set<Collection: RealmKeyedCollection>(
        _ value: Collection.Value?, for key: Collection.Key, in map: Collection
    ) {
        Transacting.write(map) { live in
            guard let value else { return live.removeObject(for: key) }
            live.updateValue(Transacting.liveForm(value), forKey: key)
        }
    }

    // MARK: Results

    /// Adds an object to the realm of results.
    package static func append<Element: RealmCollectionValue>(_ object: Object, to results: Results<Element>)
    {
        Transacting.write(results) { live in
            let object = Transacting.liveForm(object)
            if !object.isInvalidated { live.realm?.add(object) }
        }
    }

    /// Deletes objects at positions.
    package static func remove<Element: RealmFetchable>(
        atOffsets offsets: IndexSet, of results: Results<Element>
    ) {
        delete(offsets.filter { $0 < results.count }.map { results[$0]._fetchedObject }, of: results)
    }

    /// Deletes an object if it is among results. Traps if it is unmanaged.
    package static func remove<Element: RealmFetchable>(_ element: Element, of results: Results<Element>) {
        let object = element._fetchedObject
        guard object.isInvalidated || object.realm != nil else {
            fatalError(
                """
                An unmanaged object of class '\(type(of: object).className())' cannot be removed from results: it is \
                in no realm.
                """)
        }
        if object.isInvalidated { return }
        Transacting.write(results) { results in
            let live = Transacting.liveForm(element)
            if !live._fetchedObject.isInvalidated, results.index(of: live) != nil {
                results.realm?.delete(live._fetchedObject)
            }
        }
    }

    /// Deletes the objects of a view's results that still exist.
    package static func delete<Element: RealmCollectionValue>(
        _ objects: [ObjectBase], of results: Results<Element>
    ) {
        Transacting.write(results) { results in
            results.realm?.delete(liveObjects(objects))
        }
    }

    /// Deletes the objects, which can be frozen, that still exist.
    package static func delete(_ objects: [ObjectBase]) {
        guard let first = objects.first(where: { !$0.isInvalidated && $0.realm != nil }) else { return }
        Transacting.write(first) { $0.realm?.delete(liveObjects(objects)) }
    }

    private static func liveObjects(_ objects: [ObjectBase]) -> [ObjectBase] {
        objects.compactMap { object in
            if object.isInvalidated || object.realm == nil { return nil }
            guard let live = object.isFrozen ? object.thaw() : object else { return nil }
            return live.isInvalidated ? nil : live
        }
    }
}
