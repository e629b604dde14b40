import Kivo

/// A cache of the frozen form of a live value, one for each version. Views show and compare the frozen form.
///
/// SwiftUI stores the values of a body and compares them later, when a live value would have changed. All reads of one version
/// return the same frozen value, so that a query is evaluated once for each version.
package struct FrozenCache<Value: ThreadConfined> {
    private var frozen: Value?

    /// Returns the frozen form of a valid, managed value. A value that was created in the open write transaction is returned as
    /// it is.
    package mutating func frozenForm(of live: Value) -> Value {
        guard !live.isFrozen, let realm = live.realm else { return live }
        let version = realm.freeze()
        if let frozen, frozen.realm == version { return frozen }
        // The version before an open write does not have the objects that it created.
        if realm.isInWriteTransaction { return live._handover(version) ?? live }
        let fresh = live.freeze()
        frozen = fresh
        return fresh
    }

    /// Whether the cached frozen form is of another version than the live value.
    package func isOutdated(_ live: Value) -> Bool {
        guard let frozen, !live.isInvalidated, let realm = live.realm else { return false }
        return frozen.realm != realm.freeze()
    }

    /// Releases the frozen form and its version.
    package mutating func removeAll() { frozen = nil }
}
