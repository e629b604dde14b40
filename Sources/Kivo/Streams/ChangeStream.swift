import KivoEngine

/// The changes of a collection, an object or a realm, for `for await`.
///
///     for await change in realm.objects(Dog.self).changes {
///         switch change {
///         case .initial(let dogs): show(dogs)
///         case .update(let dogs, let deletions, let insertions, let modifications): …
///         case .error: break
///         }
///     }
///
/// **Bounded by coalescing.** While the consumer is busy nothing is delivered and nothing is queued, however many commits there
/// are. When it asks for the next element it receives one, composed of all changes since the last one. Old indices are those of
/// the state that it received last. A slow consumer pins one version of the data and has no other cost.
///
/// **Each change leads to the current state.** A change is computed when the consumer resumes, where it runs. It leads exactly to
/// the state that the collection, the object and the realm show at that moment, even if the realm advanced in the meantime.
/// Changes of an open write are delivered after its commit.
///
/// **Isolation follows the consumer.** The realm belongs to the main actor, an actor or a queue; the loop runs there and its
/// elements never leave. A stream cannot be sent elsewhere, and reading one elsewhere traps. In a method of an actor,
/// `Task { for await … }` runs on the actor only if its closure uses `self` or a member of the actor. Otherwise it runs on any
/// thread, and reading the stream there traps. To be sure, put the loop into a method of the actor and call that method in the
/// task.
///
/// Each iteration is independent and observes from its beginning. It ends when the object, or the object that owns the
/// collection, is deleted (after that change was delivered), when the realm is invalidated, and when the task is cancelled.
/// Releasing the iterator ends the observation. Until then the iterator retains the realm.
public struct ChangeStream<Change>: AsyncSequence {
    /// The change that the consumer receives.
    public typealias Element = Change
    /// Streams of changes do not fail.
    public typealias Failure = Never

    let makeSource: () -> any ChangeSource<Change>

    init(_ makeSource: @escaping () -> any ChangeSource<Change>) { self.makeSource = makeSource }

    /// Begins an iteration. Call this where the realm is confined.
    public func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

    /// One iteration over changes.
    public struct Iterator: AsyncIteratorProtocol {
        let source: any ChangeSource<Change>

        /// Returns the next change as soon as there is one, or nil at the end.
        ///
        /// - Parameter actor: the isolation of the caller, which must be where the realm is confined.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Change? {
            await source.next(actor)?.change
        }
    }
}

@available(*, unavailable)
extension ChangeStream: Sendable {}
@available(*, unavailable)
extension ChangeStream.Iterator: Sendable {}
