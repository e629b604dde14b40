/// What it takes to find an object or a collection again in other instances of its realm.
struct Departure<Confined: ThreadConfined>: Sendable {
    let configuration: Realm.Configuration
    let origin: PinnedVersion
    let handover: Handover<Confined>

    var store: Store { origin.store }

    /// Of a managed value, where it belongs. Traps if it cannot be passed on.
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

/// How a value is found in another instance of its realm.
///
/// Sendable, because what ``ThreadConfined/_handover`` keeps are types, keys and queries, which do not change; the types'
/// conformances are not isolated to any actor.
struct Handover<Confined: ThreadConfined>: @unchecked Sendable {
    private let find: (Realm) -> Confined?

    init(_ value: Confined) { find = value._handover }

    /// The value in a realm, where that belongs; nil if it is gone there.
    func callAsFunction(_ realm: Realm) -> Confined? { find(realm) }
}

/// A version that is kept until this is gone. Thread-safe: it never changes.
final class PinnedVersion: Sendable {
    let store: Store
    let version: UInt64
    /// Whether what was seen is that version, and no more: not in an open write, and not of a frozen realm, whose age says
    /// nothing of what is to be seen elsewhere.
    private let isWhole: Bool

    /// Whether what was seen can be seen elsewhere: it is that version, which is durable by now.
    var isCommitted: Bool { isWhole && store.isDurable(version) }

    /// The version that an instance sees, where it belongs.
    init(_ instance: RealmInstance) {
        instance.ensureRead()
        store = instance.store
        version = instance.version
        isWhole = !instance.isFrozen && !instance.isInWriteTransaction
        _ = store.pin(version)
    }

    deinit { store.unpin(version) }
}
