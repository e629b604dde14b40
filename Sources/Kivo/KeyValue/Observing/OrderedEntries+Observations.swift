extension OrderedEntries<Observations.Recipient> {
    /// Calls `body` with the observation of each recipient in order. Changes that `body` makes to these entries take effect in
    /// the next call only.
    @inline(__always)
    func forEachObservation(_ body: (KeyValueRegistration) -> Void) {
        if let observation = first?.observation { body(observation) }
        if others.isEmpty { return }
        others.withUnsafeBufferPointer { entries in
            for index in entries.indices {
                // The entries retain the observations, and are themselves retained here. Reference counting would cost as much as
                // the call.
                entries[index].element?.unretained._withUnsafeGuaranteedRef(body)
            }
        }
    }
}
