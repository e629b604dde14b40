#if DEBUG
extension Realm {
    /// How many listeners, and groups of them, commits have looked at, for tests of growth.
    package var listenerWork: Int { instance.observers.index.work }

    /// Whether every listener is asked at every delivery: the slow model that tests compare with.
    package var asksEveryListener: Bool {
        get { instance.observers.index.asksEveryListener }
        nonmutating set { instance.observers.index.asksEveryListener = newValue }
    }
}
#endif
