import Kivo

/// The frozen form of a live value, one for each version: what a view shows and compares.
///
/// SwiftUI keeps what a body was made of and compares it later. A live value would have changed by then. All reads of one version
/// get the same frozen value, so that a query is evaluated once for a version.
package struct FrozenCache<Value: ThreadConfined> {
    private var frozen: Value?

    /// The frozen form of a valid, managed value. A value that was created in the open write transaction is returned as it is.
    package mutating func frozenForm(of live: Value) -> Value {
        guard !live.isFrozen, let realm = live.realm else { return live }
        let version = realm.freeze()
        if let frozen, frozen.realm == version { return frozen }
        // The version before an open write lacks the objects that it created.
        if realm.isInWriteTransaction { return live._handover(version) ?? live }
        let fresh = live.freeze()
        frozen = fresh
        return fresh
    }

    /// Whether a frozen form was handed out, of another version than the value is in now.
    package func isBehind(_ live: Value) -> Bool {
        guard let frozen, !live.isInvalidated, let realm = live.realm else { return false }
        return frozen.realm != realm.freeze()
    }

    /// Releases the frozen form, and its version.
    package mutating func removeAll() { frozen = nil }
}
