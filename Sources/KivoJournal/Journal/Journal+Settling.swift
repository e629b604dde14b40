/// The part of a journal that is known to be durable.
///
/// The mark, the slots and the end that a process publishes are written after the flush of the records that they name. Any record
/// after all of them may still be only in the system's cache.
struct SettledEnd {
    /// The number of the last record; nil if not even the header is known to be durable.
    var sequence: UInt64?
    /// An offset before which everything is durable.
    var end = 0

    /// Creates an end for a journal of which nothing is known to be durable.
    init() {}

    /// Creates the end that the header of a journal names.
    init(_ mark: AcknowledgedMark, _ slot: CheckpointSlot?) {
        if mark.sequence > 0 { add(mark.sequence, end: Int(clamping: mark.end)) }
        if let slot { add(slot.sequence, end: slot.offset) }
    }

    /// Creates an end at a position: everything before it is durable.
    init(_ position: LogPosition) { (sequence, end) = (position.sequence, position.end) }

    /// Replaces the end with a later one.
    mutating func add(_ sequence: UInt64, end: Int) {
        if sequence > self.sequence ?? 0 { (self.sequence, self.end) = (sequence, end) }
    }
}

extension Journal {
    /// Makes the records of a recovery durable, before they are shown or appended to.
    ///
    /// - Parameter readOnly: Whether the device cannot be written. It is then flushed if the system allows it.
    static func settle(
        _ device: any JournalDevice, _ recovered: Recovered, readOnly: Bool
    ) throws(JournalError) {
        do {
            try settle(device, upTo: recovered.position, known: recovered.settled, readOnly: readOnly)
        } catch  where readOnly {
            // Some systems flush only writable files. The failure is harmless, because a read-only journal is not appended to.
        }
    }

    /// Makes the records that other processes have written durable.
    ///
    /// - Parameters:
    ///   - position: The end of the last record. The caller prevents others from writing.
    ///   - known: An end that the caller knows to be durable. The end that processes publish is also taken into account.
    /// - Returns: Whether a mark was written to the first page of the header, which the caller may have to flush.
    @discardableResult
    static func settle(
        _ device: any JournalDevice, upTo position: LogPosition, known: SettledEnd, readOnly: Bool = false
    ) throws(JournalError) -> Bool {
        guard known.sequence ?? 0 < position.sequence || known.sequence == nil else { return false }
        var known = known
        // An end after the last record was published for a file that was later replaced by an older copy.
        if let end = device.sharing?.published(), end.journal == position.journal,
            end.sequence <= position.sequence, end.end <= position.end
        {
            known.add(end.sequence, end: end.end)
        }
        if known.sequence == position.sequence { return false }
        if readOnly {
            try device.synchronize()
            return false
        }
        try device.settle(min(known.end, position.end)..<position.end)
        // The next opening need not do this again.
        try? AcknowledgedMark(sequence: position.sequence, end: position.end)
            .write(to: device, journal: position.journal)
        return true
    }
}
