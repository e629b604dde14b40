extension RealmInstance {
    /// Whether a block that makes keys of sections runs.
    var isMakingKeys: Bool { keyBlocks > 0 }

    /// Runs a block of the app's that makes the key of a section, in the middle of evaluating or following sections: nothing can
    /// be written, and the realm moves nowhere.
    func makingKey<Key>(_ block: () -> Key) -> Key {
        keyBlocks += 1
        defer {
            keyBlocks -= 1
            makeUpForMissedTurn()
        }
        return block()
    }

    /// Traps if a block that makes keys of sections runs.
    func checkNotMakingKeys(_ what: @autoclosure () -> String) {
        if isMakingKeys {
            trap("Cannot \(what()) inside of a block that makes the keys of sections: it may only read.")
        }
    }
}
