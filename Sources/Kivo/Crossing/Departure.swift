/// The information by which an object or a collection is found in other instances of its realm.
struct Departure<Confined: ThreadConfined>: Sendable {
    let configuration: Realm.Configuration
    let origin: PinnedVersion
    let handover: Handover<Confined>

    var store: Store { origin.store }

    /// Creates the departure of a managed value in the context to which it is confined. Traps if the value cannot be passed on.
    init(of value: Confined, _ purpose: String) {
        let isInvalidated = value.isInvalidated
        guard let realm = value.realm, !isInvalidated else {
            if !isInvalidated {
                trap(
                    """
                    Cannot \(purpose) an unmanaged '\(type(of: value))' from other threads: what is in no realm has \
                    nothing to be found by. Add it to a realm first.
                    """)
            }
            trap(
                """
                Cannot \(purpose) an invalidated '\(type(of: value))': it has been deleted, or its realm was \
                invalidated.
                """)
        }
        realm.instance.checkConfinement { "a '\(type(of: value))'" }
        configuration = realm.instance.configuration
        origin = PinnedVersion(realm.instance)
        handover = Handover(value)
    }
}

/// A closure that finds a value in another instance of its realm.
///
/// Sendable, because ``ThreadConfined/_handover`` captures only types, keys and queries, which are immutable. The types'
/// conformances are not isolated to any actor.
struct Handover<Confined: ThreadConfined>: @unchecked Sendable {
    private let find: (Realm) -> Confined?

    init(_ value: Confined) { find = value._handover }

    /// Returns the value in a realm, in that realm's context, or nil if it no longer exists there.
    func callAsFunction(_ realm: Realm) -> Confined? { find(realm) }
}

/// A version that stays pinned until this is deinitialised. Thread-safe, because it is immutable.
final class PinnedVersion: Sendable {
    let store: Store
    let version: UInt64
    /// Whether the instance showed exactly that version. It shows more inside an open write. A frozen realm does not count
    /// either: its age does not limit what other instances show.
    private let isWhole: Bool

    /// Whether other instances can show the same state: it is exactly that version, which is durable by now.
    var isCommitted: Bool { isWhole && store.isDurable(version) }

    /// Pins the version that an instance shows. Call this where the instance is confined.
    init(_ instance: RealmInstance) {
        instance.ensureRead()
        store = instance.store
        version = instance.version
        isWhole = !instance.isFrozen && !instance.isInWriteTransaction
        _ = store.pin(version)
    }

    deinit { store.unpin(version) }
}
