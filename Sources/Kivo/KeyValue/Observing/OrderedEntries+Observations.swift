extension OrderedEntries<Observations.Recipient> {
    /// Calls `body` with the observation of each recipient in order. What it does to these entries shows in the next call
    /// only.
    @inline(__always)
    func forEachObservation(_ body: (KeyValueRegistration) -> Void) {
        if let observation = first?.observation { body(observation) }
        if others.isEmpty { return }
        others.withUnsafeBufferPointer { entries in
            for index in entries.indices {
                // The entries hold it, and are held meanwhile: counting references would cost as much as the call.
                entries[index].element?.unretained._withUnsafeGuaranteedRef(body)
            }
        }
    }
}
