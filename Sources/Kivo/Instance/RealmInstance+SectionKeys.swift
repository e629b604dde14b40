extension RealmInstance {
    /// Whether a block that makes keys of sections is running.
    var isMakingKeys: Bool { keyBlocks > 0 }

    /// Runs the app's block that makes the key of a section, while sections are evaluated or updated. During the block nothing
    /// can be written, and the realm stays at its version.
    func makingKey<Key>(_ block: () -> Key) -> Key {
        keyBlocks += 1
        defer { keyBlocks -= 1 }
        return block()
    }

    /// Traps if a block that makes keys of sections is running.
    func checkNotMakingKeys(_ what: @autoclosure () -> String) {
        if isMakingKeys {
            trap("Cannot \(what()) inside of a block that makes the keys of sections: it may only read.")
        }
    }
}
