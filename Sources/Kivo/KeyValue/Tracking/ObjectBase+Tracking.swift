import KivoEngine
import KivoObserving

/// Tracking of reads inside `withObservationTracking`, for objects whose class conforms to `Observable`.
///
/// The compiler gives the accessors of a property no way to distinguish such a class from others. Therefore the fast path of a
/// read is made to fail for its objects: their generation never matches a reader's, and unmanaged ones have a placeholder address
/// of columns. Objects of other classes are unaffected.
extension ObjectBase {
    /// Makes reads of this new object take the slow path.
    @inline(never)
    final func kivoBeginTracking() {
        let type = type(of: self)
        if Registry.isLocating(type) { return }
        Registry.info(type).bind(self)
        kivoRow.columns = PlaceholderColumns.address
        kivoRow.reader = PlaceholderColumns.reader
        kivoRow.generation = .max
        kivoState = .tracked
    }

    /// Records that a property was read, if reads are being recorded.
    ///
    /// - Parameter property: returns the key path of the property, or nil if it is read by name.
    @inline(never) @usableFromInline
    final func kivoNoteRead(column: Int, _ property: () -> AnyKeyPath?) {
        guard ReadProbe.isNoting else { return }
        if isManaged, column < PersistedColumn.firstIgnored {
            guard let instance = kivoInstance, locate() else { return }
            instance.keyValueRegistry.trackedRows.reads(of: kivoRow.key, kivoContext).note(column, property)
        } else if column >= 0 {
            kivoMakeObservations().makeTrackedReads().note(column, property)
        }
    }

    /// Records that `isInvalidated` was read, if reads are being recorded.
    final func kivoNoteReadOfIsInvalidated() { kivoNoteRead(column: ObservedKey.invalidated.column) { nil } }
}

extension CollectionReference {
    /// Records that the collection was read, if reads are being recorded.
    @inline(never)
    func noteRead() {
        guard ReadProbe.isNoting, !isInvalidated else { return }
        instance.keyValueRegistry.trackedRows.reads(of: id.key, owner).note(property.column) { nil }
    }
}
