#if DEBUG
extension Realm {
    /// The number of listeners, and groups of them, that commits have examined, for tests of growth.
    package var listenerWork: Int { instance.listeners.index.work }

    /// Whether every listener is asked at every delivery: the slow model that tests compare with.
    package var asksEveryListener: Bool {
        get { instance.listeners.index.asksEveryListener }
        nonmutating set { instance.listeners.index.asksEveryListener = newValue }
    }
}
#endif
