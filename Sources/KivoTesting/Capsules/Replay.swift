import Kivo

/// Plays a capsule: opens a realm with the data with which the recorded observers began, and lets the recorded commits arrive in the
/// recorded turns.
///
/// Observers that begin in the closure receive the changes that observers of the recorded instance received, composed in the same way and
/// with the same positions: commits between two turns are one change. The last turn delivers what was committed after the last recorded
/// one. All of it happens on the calling thread, one turn after the other, before this returns.
///
///     let table = try replay(capsule) { realm in DogTable(realm.objects(Dog.self)) }
///
/// All commits arrive as those of another process. So key-value observers are called when the realm advances, and commits with
/// `withoutNotifying:` are delivered to all observers. A list that a commit edited and restored does not count as modified, as it did in the
/// process of that commit. Observers with a pace are called as their pace says, and those on queues and actors not in recorded turns.
/// An observer may make the same writes as in the recorded program, if they are not asynchronous. Other writes throw.
///
/// - Parameters:
///   - capsule: The capsule.
///   - place: The instance whose turns are played; nil for the one with the most turns.
///   - types: The classes of the realm; nil for all that the program uses.
///   - observe: A closure that begins observations of the realm, and returns what keeps them alive.
///   - check: A closure that is called with the result of `observe` after the first delivery and after each turn.
/// - Returns: What `observe` returned.
/// - Throws: `Realm.Error` if the classes do not match those of the capsule; ``CapsuleError`` if it does not have the instance; errors of
///   the closures.
@discardableResult
public func replay<Observers>(
    _ capsule: Capsule, at place: Capsule.Place? = nil, of types: [ObjectBase.Type]? = nil,
    _ observe: (Realm) throws -> Observers,
    afterEachTurn check: (_ realm: Realm, _ observers: Observers) throws -> Void = { _, _ in }
) throws -> Observers {
    let played = try capsule.played(place)
    let log = CapsuleLog(replaying: capsule.contents, at: played)
    let realm = try log.realm(of: types)
    let (start, turns) = capsule.schedule(at: played)
    log.deliver(upTo: start)
    realm.refresh()
    let observers = try observe(realm)
    realm.refresh()
    try check(realm, observers)
    for version in turns {
        log.deliver(upTo: version)
        realm.refresh()
        try check(realm, observers)
    }
    return observers
}
