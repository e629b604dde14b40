import KivoEngine
import KivoJournal

extension Store {
    /// Begins to record commits, if the configuration asks for it.
    ///
    /// - Precondition: Only the caller uses the store.
    func beginRecording() {
        guard let recording else { return }
        log.observeCommits { recording.note($0) }
        noteOpened()
        recordBase(in: recording)
    }

    /// Begins another capsule, if the last one is full or lacks commits.
    ///
    /// - Precondition: The caller holds the write lock, and all commits are durable.
    func recordBaseIfDue() { if let recording, recording.takesBase { recordBase(in: recording) } }

    /// Records the newest version as the base of a capsule. It is written later, and pinned until then.
    private func recordBase(in recording: CapsuleRecording) {
        let (version, _, snapshot) = pinDurable()
        let contents = CapsuleContents(
            log: log.number, schemaVersion: log.storedSchemaVersion ?? 0, baseVersion: log.version)
        recording.begin(contents, log.checkpoint(snapshot, catalog)) { self.unpin(version) }
    }
}

extension RealmInstance {
    /// Records that the observers are notified of all changes up to the version that this instance shows.
    func recordTurn(in recording: CapsuleRecording) {
        // An observer may have invalidated the realm.
        if version == 0 || listeners.isEmpty && observers.isEmpty && rowNotifier.isEmpty { return }
        let version = store.number(of: version)
        let place = recordedPlace ?? RecordedPlace(number: recording.addPlace(handle.home))
        recordedPlace = place
        // Observers that began in the last turn may be called for the first time.
        guard place.turn != version || !listeners.awaitingFirstCall.isEmpty else { return }
        recordedPlace?.turn = version
        recording.note(CapsuleContents.Mark(place: place.number, version: version))
    }

    /// Records that a commit was made here.
    func recordOwnCommit() {
        guard let recording = store.recording, let recordedPlace, version != 0 else { return }
        recording.note(
            CapsuleContents.Mark(
                place: recordedPlace.number, version: store.number(of: version), isOwnCommit: true))
    }
}
