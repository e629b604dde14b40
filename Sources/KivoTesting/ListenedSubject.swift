import Kivo

/// A subject that a ``ChangeRecorder`` listens to: its token, and what is not recorded of it.
struct ListenedSubject {
    let token: NotificationToken
    /// The newest version when the listener was added, while the first call is not made.
    private var start: UInt64?
    /// The number of commits between the call that added the listener and its first call, which contains them.
    private var absorbed: UInt64 = 0

    init(_ token: NotificationToken) {
        self.token = token
        start = token.undeliveredChanges?.isFirstCallPending == true ? token.versions?.newest : nil
    }

    /// Called when a first call is recorded, which may be that of this subject.
    mutating func noteFirstCall() {
        guard let start, let versions = token.versions,
            token.undeliveredChanges?.isFirstCallPending == false
        else { return }
        self.start = nil
        absorbed = versions.shown - min(start, versions.shown)
    }

    /// Sentences about commits that a test may miss among the recorded changes.
    var notes: [String] {
        var notes: [String] = []
        if absorbed > 0 {
            notes.append(
                """
                \(Self.commits(absorbed)) came before the first call: '.initial' contains it, and no update follows. To record an \
                update, let the first call be made before, by 'refresh()'.
                """)
        }
        guard let undelivered = token.undeliveredChanges else { return notes }
        if undelivered.isFirstCallPending { notes.append("The first call is undelivered: refresh()") }
        if undelivered.commits > 0 {
            notes.append("\(Self.commits(undelivered.commits)) undelivered: refresh()")
        }
        return notes
    }

    static func commits(_ count: UInt64) -> String { count == 1 ? "1 commit" : "\(count) commits" }
}
