import KivoEngine
import Observation

/// Objects whose class says that it is `Observable`: what is read of them inside of `withObservationTracking` is noted there.
///
/// The compiler gives the accessors of a property no way to tell such a class from others, so reads of it are made to miss
/// what the fast way looks for: its objects compare with a reader whose generation never comes, and unmanaged ones have an
/// address of columns. Others have nothing to do with this.
extension ObjectBase {
    /// Makes reads of this fresh object take the long way.
    @inline(never)
    final func kivoBeginTracking() {
        let type = type(of: self)
        if Registry.isLocating(type) { return }
        Registry.info(type).bind(self)
        kivoRow.columns = PlaceholderColumns.address
        kivoRow.reader = PlaceholderColumns.reader
        kivoRow.generation = .max
        kivoRow.state = RowReference.tracked
    }

    /// Notes that a property was read, if reads are being noted.
    @inline(never) @usableFromInline
    final func kivoNoteRead(column: Int) {
        guard ReadProbe.isNoting else { return }
        if isManaged, column < PersistedColumn.firstIgnored {
            guard let instance = kivoInstance, locate() else { return }
            let row = RowID(table: kivoContext.table, key: kivoRow.key)
            instance.keyValueRegistry.trackedRows.reads(of: row, instance).note(column)
        } else if column >= 0 {
            let observations = kivoMakeObservations()
            let reads = observations.trackedReads ?? TrackedReads(observations)
            observations.trackedReads = reads
            reads.note(column)
        }
    }

    /// Notes that `isInvalidated` was read, if reads are being noted.
    final func kivoNoteReadOfIsInvalidated() { kivoNoteRead(column: ObservedKey.invalidated.column) }
}

extension CollectionReference {
    /// Notes that the collection was read, if reads are being noted.
    @inline(never)
    func noteRead() {
        guard ReadProbe.isNoting, !isInvalidated else { return }
        let row = RowID(table: id.table, key: id.key)
        instance.keyValueRegistry.trackedRows.reads(of: row, instance).note(property.column)
    }
}
