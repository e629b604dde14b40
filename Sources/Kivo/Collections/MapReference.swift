import KivoEngine

/// The location of a managed map: its keys and, beside them, its values.
///
/// Confined to the realm instance, which it keeps alive.
struct MapReference {
    let keys: CollectionReference
    let values: CollectionReference

    init(keys: CollectionReference, values: CollectionReference) {
        self.keys = keys
        self.values = values
    }

    /// Creates a reference to a map property of a managed object.
    init(_ object: ObjectBase, _ property: PropertyInfo) {
        keys = CollectionReference(object, property, element: .string)
        values = CollectionReference(object, property, column: property.valuesColumn!)
    }

    /// Returns whether a key does not contain `.` or begin with `$`.
    static func isAllowed(_ key: String) -> Bool {
        // Not `contains`, whose generic form is slower than the rest of an insertion.
        for byte in key.utf8 where byte == UInt8(ascii: ".") { return false }
        return key.utf8.first != UInt8(ascii: "$")
    }

    /// Traps if a key contains `.` or begins with `$`.
    static func checkKey(_ key: String) {
        if isAllowed(key) { return }
        trap("'\(key)' is no key of a map: keys do not contain '.' or begin with '$'.")
    }

    /// Returns the value of a key, or nil.
    func value(_ key: String) -> Cell? {
        let (position, isEqual) = keys.sequence.lowerBound(.string(key))
        return isEqual ? values.sequence.cell(at: position) : nil
    }

    /// Makes a change that removes values. Notifies the key-value observers of the owner, and those of embedded objects that are
    /// deleted.
    func change(ending elements: [Cell] = [], _ body: (WriteTransaction) -> Void) {
        if elements.isEmpty { return keys.change(.wholesale, body) }
        values.change(.wholesale, ending: elements, body)
    }

    /// Sets the values of keys.
    func put(_ entries: [(key: String, value: Cell)], _ transaction: WriteTransaction) {
        for (key, value) in entries {
            values.checkElement(value)
            let (position, isEqual) = keys.sequence.lowerBound(.string(key))
            if isEqual {
                transaction.replaceElement(value, at: position, in: values.id)
            } else {
                transaction.insertElement(.string(key), at: position, into: keys.id)
                transaction.insertElement(value, at: position, into: values.id)
            }
        }
    }

    /// Removes the entry at a position.
    func remove(at position: Int, _ transaction: WriteTransaction) {
        transaction.removeElement(at: position, from: keys.id)
        transaction.removeElement(at: position, from: values.id)
    }

    /// Removes all entries.
    func removeAll(_ transaction: WriteTransaction) {
        transaction.removeAllElements(from: keys.id)
        transaction.removeAllElements(from: values.id)
    }
}
