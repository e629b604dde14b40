import KivoObserving

/// The report of an assignment to the object's observer.
///
/// Most observers have no work before a change. An assignment that only such observers receive costs no more than calling them.
@usableFromInline
enum ObservedAssignment {
    /// Begins an assignment to the property of a column, whose number the object's wrappers store. Returns whether a change was
    /// opened that `end` must close.
    @inlinable @inline(__always)
    static func begin(_ object: ObjectBase, _ column: UInt32) -> Bool {
        object.kivoState.contains(.observedBefore) && open(object, column)
    }

    @usableFromInline @inline(never)
    static func open(_ object: ObjectBase, _ column: UInt32) -> Bool {
        withObserver(of: object) { $0.willAssign(object, PersistedColumn.index(column)) } ?? false
    }

    /// Whether only this accessor's observers are notified of an assignment to a managed object. For objects that are observed,
    /// but by no observer that has work before the change.
    @usableFromInline @inline(never)
    static func isAlone(_ object: ObjectBase) -> Bool { withObserver(of: object) { $0.isAlone } ?? false }

    /// Ends an assignment and notifies the observers.
    @usableFromInline @inline(never)
    static func end(_ object: ObjectBase, _ column: UInt32, _ isOpen: Bool) {
        if isOpen, object.isManaged, column < PersistedColumn.firstIgnored {
            trap(
                """
                An object of class '\(object.kivoContext.info.name)' was added to a realm inside of a notification before \
                one of its changes.
                """)
        }
        withObserver(of: object) { $0.didAssign(object, PersistedColumn.index(column), isOpen) }
    }

    /// Calls `body` with the object's observer, if there is one. The assigning code holds the object, and the object holds its
    /// observer.
    @discardableResult @inline(__always)
    private static func withObserver<Result>(of object: ObjectBase, _ body: (KeyValueObservations) -> Result)
        -> Result?
    {
        guard let attachment = object.kivoAttachment, !object.kivoState.contains(.recording)
        else {
            return nil
        }
        return Unmanaged.passUnretained(unsafeDowncast(attachment, to: KeyValueObservations.self))
            ._withUnsafeGuaranteedRef(body)
    }
}
