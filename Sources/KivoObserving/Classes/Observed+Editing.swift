import Synchronization

/// Edits of a property in place: a mutation of a value which no observer receives needs no copy of it.
///
/// The edit changes the value in its own memory. As with any stored property, no other code may use the property until the edit ends.
/// The link marks the edit, and reads and assignments check the link. An instance without a link stores
/// `ObservedLink.editedAlone` in its place during the edit. Another thread that begins to observe the instance may replace that
/// mark: to use the property itself at that moment would be a race. Values without references can be read at any time, and need no
/// mark.
extension Observed {
    /// Begins an edit. Returns the address of the value in the instance or, if observers receive the whole value, of a copy, which
    /// ``endEditing(_:_:_:)`` assigns and deallocates.
    @inlinable @inline(__always)
    static func beginEditing(_ owner: AnyObject, _ column: Int) -> UnsafeMutablePointer<Value> {
        let storage = place(owner, column)
        if _isPOD(Value.self) {
            if storage.pointee.link == nil { return value(storage) }
        } else if sharedReference(storage).pointee.compareExchange(
            expected: 0, desired: ObservedLink.editedAlone, ordering: .acquiring
        ).exchanged {
            return value(storage)
        }
        return beginEditingLinked(owner, column)
    }

    /// Ends an edit of the value at an address.
    @inlinable @inline(__always)
    static func endEditing(_ edited: UnsafeMutablePointer<Value>, _ owner: AnyObject, _ column: Int) {
        let storage = place(owner, column)
        if edited != value(storage) { return assign(copy: edited, owner, column) }
        if _isPOD(Value.self) { return }
        let isAlone = sharedReference(storage).pointee.compareExchange(
            expected: ObservedLink.editedAlone, desired: 0, ordering: .releasing
        ).exchanged
        if !isAlone { endEditingLinked(owner, column) }
    }

    /// Returns the address of the value, the first field.
    @inlinable @inline(__always)
    static func value(_ storage: UnsafeMutablePointer<Self>) -> UnsafeMutablePointer<Value> {
        UnsafeMutableRawPointer(storage).assumingMemoryBound(to: Value.self)
    }

    @inlinable @inline(never)
    static func beginEditingLinked(_ owner: AnyObject, _ column: Int) -> UnsafeMutablePointer<Value> {
        let storage = place(owner, column)
        if !_isPOD(Value.self), storage.pointee.link?.beginEditing(column, owner) == true {
            return value(storage)
        }
        let copy = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        copy.initialize(to: read(owner, column) { nil })
        return copy
    }

    @inlinable @inline(never)
    static func endEditingLinked(_ owner: AnyObject, _ column: Int) {
        place(owner, column).pointee.link?.endEditing(column)
    }

    @inlinable @inline(never)
    static func assign(copy: UnsafeMutablePointer<Value>, _ owner: AnyObject, _ column: Int) {
        let value = copy.move()
        copy.deallocate()
        assign(value, owner, column)
    }
}
