import Dispatch
import KivoEngine

extension LiveNumber {
    /// Observes the number: calls the block with the current one, and then with each number that differs from the one before.
    ///
    /// Like the observers of collections, the block is called on a later turn of the run loop, queue or actor, or inside of
    /// ``Realm/refresh()`` or the next write. Several changes in between lead to one call, or to none if the number is the same again.
    ///
    /// - Parameter block: the closure to call.
    /// - Returns: a token that keeps the observation alive; it also keeps the number up to date.
    /// - Complexity: O(n) for the first call; an update then costs O(1) for each element that changed, or O(log n) for the least and
    ///   the greatest value. Results of `first(_:)` and `dropFirst(_:)` are folded again, in O(elements).
    /// - Precondition: The realm is neither frozen nor read-only, and no write transaction is open that has made changes. Each number
    ///   fits the type: `sum(ofProperty:)` returns one of a wider type.
    public func observe(_ block: @escaping (Value) -> Void) -> NotificationToken {
        query.instance.checkObservable("A live number")
        let listener = NumberListener(query, number) { [convert] in block(convert($0)) }
        return query.instance.listeners.add(listener)
    }

    /// Observes the number at a pace: calls the block with the current one, and then, as often as the pacing says, with the number if
    /// it differs from the one before.
    ///
    /// - Parameters:
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive. It can pause the observation, and deliver at once.
    /// - Complexity: That of the overload without a pacing. Changes that are held cost nothing meanwhile.
    /// - Precondition: The realm is neither frozen nor read-only, and no write transaction is open that has made changes. Each number
    ///   fits the type: `sum(ofProperty:)` returns one of a wider type.
    public func observe(pacing: Realm.Pacing, _ block: @escaping (Value) -> Void) -> NotificationToken {
        .paced(pacing, block) { observe($0) }
    }

    /// Observes the number on a serial queue; see ``observe(_:)`` and ``observe(pacing:_:)``. Nothing is observed if the collection no
    /// longer exists when the queue runs the registration.
    ///
    /// - Parameters:
    ///   - queue: the queue to deliver on.
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: That of the overload without a queue.
    public func observe(
        on queue: DispatchQueue, pacing: Realm.Pacing = .everyTurn,
        _ block: @escaping @Sendable (Value) -> Void
    ) -> NotificationToken {
        query.instance.checkObservable("A live number")
        let handedOver = handedOver
        return query.instance.register(on: queue) { handedOver($0).observe(pacing: pacing, block) }
    }

    /// Observes the number on an actor: the block runs there. The observation has begun when this returns.
    ///
    /// - Parameters:
    ///   - actor: the actor to deliver on; it can be a global one, for example `MainActor.shared`.
    ///   - pacing: how often the block is called.
    ///   - _isolation: the isolation of the caller; do not pass it.
    ///   - block: the closure to call. Its first argument is the actor, isolated, so that it can use the actor's state.
    /// - Returns: a token that keeps the observation and the actor alive. It is invalid, and nothing is observed, if the task was
    ///   cancelled.
    /// - Complexity: That of the overload without an actor.
    public func observe<A: Actor>(
        on actor: A, pacing: Realm.Pacing = .everyTurn, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, Value) -> Void
    ) async -> NotificationToken {
        query.instance.checkObservable("A live number")
        let handedOver = handedOver
        return await query.instance.register(on: actor, _isolation) { instance, actor in
            handedOver(instance).observe(pacing: pacing) { actor.call(block, $0) }
        }
    }

    /// The numbers, for `for await`: the current one, and then each that differs from the one before. See ``ChangeStream``.
    ///
    /// - Complexity: O(1): the number is computed when a loop begins.
    /// - Precondition: Each number fits the type: `sum(ofProperty:)` returns one of a wider type.
    public var changes: ChangeStream<Value> {
        query.instance.checkStreamable("A live number")
        let (query, number, convert) = (query, number, convert)
        return ChangeStream {
            ListenerSource(query.instance, isInitial: true, isGone: { query.isSourceGone }) { call in
                NumberListener(query, number) { call(StreamElement(change: convert($0))) }
            }
        }
    }

    /// Returns the numbers at a pace; see ``changes`` and ``Results/changes(keyPaths:pacing:)``.
    ///
    /// - Complexity: O(1): the number is computed when a loop begins.
    public func changes(pacing: Realm.Pacing) -> ChangeStream<Value> { changes.paced(pacing) }
}
