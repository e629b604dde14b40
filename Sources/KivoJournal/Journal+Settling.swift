/// How much of a journal is known to be durable.
///
/// The mark, the slots and the end that a process publishes are written after the flush of what they name. Whatever lies behind
/// all of them may be in the system's cache only.
struct SettledEnd {
    /// The number of the last record; nil if not even the header is known to be durable.
    var sequence: UInt64?
    /// An offset before which all is durable.
    var end = 0

    /// An end of which nothing is known.
    init() {}

    /// The end that the header of a journal names.
    init(_ mark: AcknowledgedMark, _ slot: CheckpointSlot?) {
        if mark.sequence > 0 { add(mark.sequence, end: Int(clamping: mark.end)) }
        if let slot { add(slot.sequence, end: slot.offset) }
    }

    /// All up to a position.
    init(_ position: LogPosition) { (sequence, end) = (position.sequence, position.end) }

    /// Takes over a later end.
    mutating func add(_ sequence: UInt64, end: Int) {
        if sequence > self.sequence ?? 0 { (self.sequence, self.end) = (sequence, end) }
    }
}

extension Journal {
    /// Makes durable what a recovery found, before it is shown or appended to.
    ///
    /// - Parameter readOnly: Whether the device cannot be written. What can be flushed is flushed then.
    static func settle(
        _ device: any JournalDevice, _ found: Recovered, readOnly: Bool
    ) throws(JournalError) {
        let position = LogPosition(
            end: found.end, sequence: found.sequence, version: found.version, journal: found.id)
        do {
            try settle(device, upTo: position, known: found.settled, readOnly: readOnly)
        } catch  where readOnly {
            // Some systems flush only what can be written. Nothing is built on what is read.
        }
    }

    /// Makes durable what other processes have written.
    ///
    /// - Parameters:
    ///   - position: The end of the last record. The caller keeps others from writing.
    ///   - known: What is known to be durable, beside what was published.
    /// - Returns: Whether the first page of the header has a mark now that is not flushed.
    @discardableResult
    static func settle(
        _ device: any JournalDevice, upTo position: LogPosition, known: SettledEnd, readOnly: Bool = false
    ) throws(JournalError) -> Bool {
        guard known.sequence ?? 0 < position.sequence || known.sequence == nil else { return false }
        var known = known
        // An end that lies behind the last record was published for a file that was replaced by an older copy since.
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
