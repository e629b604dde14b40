import Foundation

/// A live array for the elements of a key's value. Holds the key's owner; confined with the owner.
package final class KeyValueMutableArray: NSMutableArray {
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

    package override init(capacity numItems: Int) { trap("A proxy needs a key to stand for.") }
    package required init?(coder: NSCoder) { nil }
    #if !canImport(ObjectiveC)
    package required init(objects: UnsafePointer<AnyObject>!, count: Int) {
        trap("A proxy needs a key to stand for.")
    }
    package required convenience init(arrayLiteral elements: Any...) {
        trap("A proxy needs a key to stand for.")
    }
    #endif

    /// The elements with their own type, if the value is an array.
    private var array: (any ArrayValue)? { slot.value as? any ArrayValue }

    private var elements: [Any] {
        guard let value = slot.value else { return [] }
        let isOrdered = value is [Any] || editable(value, .list) != nil
        guard isOrdered, let elements = CollectionContents.elements(of: value) else {
            slot.trapMisfit("array")
        }
        return elements
    }

    /// Inserts, removes or replaces elements at positions, as one change.
    private func change(_ change: NSKeyValueChange, _ positions: [Int], _ objects: [Any]) {
        if positions.isEmpty || slot.edit(change, positions, objects) { return }
        let kind = CollectionChangeKind.announced(change, positions)
        switch slot.value {
        case let list as any EditableCollection where list.form == .list:
            edit(list, .elements(change, at: positions, objects), kind)
        case let array as NSMutableArray: slot.change(kind) { array.edit(change, positions, objects) }
        default: slot.setValue(edited(change, positions, objects), kind)
        }
    }

    private func edit(_ list: any EditableCollection, _ edit: CollectionEdit, _ kind: CollectionChangeKind) {
        if slot.isSelfReporting { list.edit(edit) } else { slot.change(kind) { list.edit(edit) } }
    }

    /// Returns a copy of the elements with a change applied.
    private func edited(_ change: NSKeyValueChange, _ positions: [Int], _ objects: [Any]) -> Any {
        if var array = array, array.edit(change, positions, objects) { return array }
        var elements = self.elements
        switch change {
        case .insertion:
            for (position, object) in zip(positions, objects) { elements.insert(object, at: position) }
        case .removal: for position in positions.reversed() { elements.remove(at: position) }
        default: for (position, object) in zip(positions, objects) { elements[position] = object }
        }
        return elements
    }

    private func check(_ index: Int, upTo end: Int) {
        if index >= 0, index < end { return }
        trap("Index \(index) of '\(slot.key)' is outside of the range of its \(count) elements.")
    }

    package override var count: Int {
        let value = slot.value
        return (value as? any ArrayValue)?.count ?? editable(value, .list)?.elementCount ?? elements.count
    }

    package override func object(at index: Int) -> Any {
        check(index, upTo: count)
        let value = slot.value
        let element =
            (value as? any ArrayValue)?.element(at: index) ?? editable(value, .list)?.elements(at: [index])[0]
            ?? elements[index]
        return flatten(element) ?? NSNull()
    }

    package override func index(of anObject: Any) -> Int { positions(of: anObject).first ?? NSNotFound }

    package override func contains(_ anObject: Any) -> Bool { !positions(of: anObject).isEmpty }

    /// Returns the positions of the elements that equal an object. Objects of a realm are equal if they are the same row.
    private func positions(of object: Any) -> [Int] {
        let wanted = hashable(object)
        let elements = elements
        return elements.indices.filter { index in
            if let element = Subjects.subject(in: elements[index]), let other = Subjects.subject(in: object) {
                return element.class.isSame(element.object, other.object)
            }
            let element = hashable(elements[index])
            return element == wanted && (element != nil || object is NSNull)
        }
    }

    package override func insert(_ anObject: Any, at index: Int) {
        check(index, upTo: count + 1)
        change(.insertion, [index], [anObject])
    }

    package override func insert(_ objects: [Any], at indexes: IndexSet) {
        guard objects.count == indexes.count else {
            trap("\(objects.count) objects cannot be inserted at \(indexes.count) positions.")
        }
        if let last = indexes.last { check(last, upTo: count + objects.count) }
        change(.insertion, Array(indexes), objects)
    }

    package override func add(_ anObject: Any) { insert(anObject, at: count) }

    package override func addObjects(from otherArray: [Any]) {
        let count = count
        change(.insertion, Array(count..<count + otherArray.count), otherArray)
    }

    package override func removeObject(at index: Int) {
        check(index, upTo: count)
        change(.removal, [index], [])
    }

    package override func removeObjects(at indexes: IndexSet) {
        if let last = indexes.last { check(last, upTo: count) }
        change(.removal, Array(indexes), [])
    }

    package override func removeObjects(in range: NSRange) {
        removeObjects(at: IndexSet(integersIn: range.location..<range.location + range.length))
    }

    package override func removeLastObject() {
        let count = count
        if count > 0 { removeObject(at: count - 1) }
    }

    package override func removeAllObjects() { change(.removal, Array(0..<count), []) }

    package override func replaceObject(at index: Int, with anObject: Any) {
        check(index, upTo: count)
        change(.replacement, [index], [anObject])
    }

    package override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        guard objects.count == indexes.count else {
            trap("\(objects.count) objects cannot replace those at \(indexes.count) positions.")
        }
        if let last = indexes.last { check(last, upTo: count) }
        change(.replacement, Array(indexes), objects)
    }

    package override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
        for index in [idx1, idx2] { check(index, upTo: count) }
        if idx1 == idx2 { return }
        let (low, high) = (Swift.min(idx1, idx2), Swift.max(idx1, idx2))
        change(.replacement, [low, high], [object(at: high), object(at: low)])
    }

    /// Removes all elements that equal an object.
    package override func remove(_ anObject: Any) {
        change(.removal, positions(of: anObject), [])
    }

    /// Removes all elements that equal one of some objects.
    package override func removeObjects(in otherArray: [Any]) {
        change(.removal, Array(IndexSet(otherArray.flatMap { positions(of: $0) })), [])
    }

    package override func setArray(_ otherArray: [Any]) {
        switch slot.value {
        case let list as any EditableCollection where list.form == .list:
            edit(list, .allElements(otherArray), .wholesale)
        case let array as NSMutableArray: slot.change(.wholesale) { array.setArray(otherArray) }
        default: slot.setValue(otherArray, .wholesale)
        }
    }

    /// Removes all elements in a range of positions that equal an object.
    package override func remove(_ anObject: Any, in range: NSRange) {
        change(.removal, positions(of: anObject).filter { NSLocationInRange($0, range) }, [])
    }

    package override func removeObject(identicalTo anObject: Any) { remove(anObject) }
    package override func removeObject(identicalTo anObject: Any, in range: NSRange) {
        remove(anObject, in: range)
    }

    /// Replaces the objects at a range of positions with others. If the number of objects differs, that is two changes.
    package override func replaceObjects(in range: NSRange, withObjectsFrom otherArray: [Any]) {
        let positions = IndexSet(integersIn: range.location..<range.location + range.length)
        if otherArray.count == range.length { return replaceObjects(at: positions, with: otherArray) }
        removeObjects(at: positions)
        if otherArray.isEmpty { return }
        let end = range.location + otherArray.count
        insert(otherArray, at: IndexSet(integersIn: range.location..<end))
    }

    package override func replaceObjects(
        in range: NSRange, withObjectsFrom otherArray: [Any], range otherRange: NSRange
    ) {
        let objects = otherArray[otherRange.location..<otherRange.location + otherRange.length]
        replaceObjects(in: range, withObjectsFrom: Array(objects))
    }
}

extension NSMutableArray {
    /// Inserts, removes or replaces elements at ascending positions.
    fileprivate func edit(_ change: NSKeyValueChange, _ positions: [Int], _ objects: [Any]) {
        switch change {
        case .insertion: for (position, object) in zip(positions, objects) { insert(object, at: position) }
        case .removal: for position in positions.reversed() { removeObject(at: position) }
        default:
            for (position, object) in zip(positions, objects) { replaceObject(at: position, with: object) }
        }
    }
}
