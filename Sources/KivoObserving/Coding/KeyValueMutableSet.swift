import Foundation

/// A live set for the members of a key's value. Holds the key's owner; confined with the owner.
package final class KeyValueMutableSet: NSMutableSet {
    private let slot: KeyValueSlot

    package init(_ slot: KeyValueSlot) {
        self.slot = slot
        #if canImport(ObjectiveC)
        // The abstract class of a class cluster has no storage, and rejects a capacity.
        super.init()
        #else
        super.init(capacity: 0)
        #endif
    }

    package required init?(coder: NSCoder) { nil }
    #if canImport(ObjectiveC)
    package override init(capacity numItems: Int) { trap("A proxy needs a key to stand for.") }
    #else
    package required init(capacity numItems: Int) { trap("A proxy needs a key to stand for.") }
    package override init(objects: UnsafePointer<AnyObject>!, count: Int) {
        trap("A proxy needs a key to stand for.")
    }
    #endif

    private var members: Set<AnyHashable> {
        guard let value = slot.value else { return [] }
        guard value is Set<AnyHashable> || value is NSSet || editable(value, .set) != nil else {
            slot.trapMisfit("set")
        }
        return KeyValueCoding.members(of: value)
    }

    /// Applies an operation with another set, as one change. Observers are notified even if nothing changes.
    private func change(_ kind: NSKeyValueSetMutationKind, _ other: Set<AnyHashable>) {
        let set = editable(slot.value, .set)
        if let set, slot.isSelfReporting { return set.edit(.members(kind, other.bases)) }
        let members = self.members
        let others = KeyValueCoding.members(of: other)
        let mutation = CollectionChangeKind.setMutation(kind, of: members, using: others)
        if let set { return slot.change(mutation) { set.edit(.members(kind, other.bases)) } }
        let result =
            switch kind {
            case .union: members.union(others)
            case .minus: members.subtracting(others)
            case .intersect: members.intersection(others)
            default: others
            }
        guard let set = slot.value as? NSMutableSet else { return slot.setValue(result, mutation) }
        slot.change(mutation) {
            for member in members where !result.contains(member) { set.remove(member.base) }
            for member in result where !members.contains(member) { set.add(member.base) }
        }
    }

    private func hashableMember(_ object: Any) -> AnyHashable {
        guard let object = hashable(object) else {
            trap("'\(object)' of type '\(type(of: object))' cannot be a member of a set.")
        }
        return object
    }

    package override var count: Int { members.count }

    package override func contains(_ anObject: Any) -> Bool { member(anObject) != nil }

    package override func member(_ object: Any) -> Any? {
        if let set = editable(slot.value, .set) { return set.member(object) }
        let members = members
        return members.firstIndex(of: hashableMember(object)).map { members[$0].base }
    }

    package override func objectEnumerator() -> NSEnumerator {
        NSArray(array: allObjects).objectEnumerator()
    }

    package override var allObjects: [Any] { members.bases }

    package override func add(_ object: Any) { change(.union, [hashableMember(object)]) }
    package override func remove(_ object: Any) { change(.minus, [hashableMember(object)]) }
    package override func addObjects(from array: [Any]) {
        change(.union, Set(array.map { hashableMember($0) }))
    }
    package override func removeAllObjects() { change(.minus, members) }
    package override func union(_ otherSet: Set<AnyHashable>) { change(.union, otherSet) }
    package override func minus(_ otherSet: Set<AnyHashable>) { change(.minus, otherSet) }
    package override func intersect(_ otherSet: Set<AnyHashable>) { change(.intersect, otherSet) }
    package override func setSet(_ otherSet: Set<AnyHashable>) { change(.set, otherSet) }
}

extension KeyValueMutableSet: UntypedElements {
    package var codedElements: [Any] { allObjects }
}

/// A collection object in a property, without the type of its elements, that the proxies of key-value coding change in place.
package protocol EditableCollection: ObservedCollection {
    /// The form of the collection, or nil if the proxies do not change it.
    var form: CollectionForm? { get }
    /// Returns the member of a set that equals a value.
    func member(_ value: Any) -> Any?
    /// Makes an edit, as one change. Traps if the edit is for another kind of collection, or a value does not fit.
    func edit(_ edit: CollectionEdit)
}

package enum CollectionForm { case list, set }

/// An edit of a collection whose kind is known, but not the type of its elements.
package enum CollectionEdit {
    /// An insertion, removal or replacement of elements of a list at ascending positions.
    case elements(NSKeyValueChange, at: [Int], [Any])
    /// A replacement of all elements of a list.
    case allElements([Any])
    /// An operation of a set with other members.
    case members(NSKeyValueSetMutationKind, [Any])
}

/// Returns a value as a collection of a form, or nil if it is none.
func editable(_ value: Any?, _ form: CollectionForm) -> (any EditableCollection)? {
    guard let value, let collection = cast(value, as: (any EditableCollection).self), collection.form == form
    else { return nil }
    return collection
}
