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
/// **Bounded by coalescing.** While the consumer is busy nothing is delivered and nothing is queued, however many commits
/// there are. When it asks for the next element it gets one, with all changes since the last one composed: old indices are
/// those that it was told last. A slow consumer keeps one version of the data alive, and costs nobody anything.
///
/// **What is told is what is there.** A change is worked out the moment that the consumer resumes, where it runs, and leads
/// exactly to what the collection, the object and the realm show there and then, also if the realm moved on in the meantime.
/// Changes of a write that is still open are told once it was committed.
///
/// **Isolation follows the consumer.** The realm belongs to the main actor, an actor or a queue; the loop runs there and its
/// elements never leave. A stream cannot be sent elsewhere, and one that is read elsewhere traps.
/// In a method of an actor, `Task { for await … }` runs on the actor only if its closure uses `self`, or something of the actor:
/// otherwise it runs anywhere, and reading the stream there traps. To be sure, put the loop into a method of the actor, and call
/// that in the task.
///
/// Each iteration is on its own, and observes from when it begins. It ends when the object, or the object that owns the
/// collection, is deleted (after that was told), when the realm is invalidated, and when the task is cancelled. Letting go of
/// the iterator ends the observation. Until then it keeps the realm alive.
public struct ChangeStream<Change>: AsyncSequence {
    /// What the consumer is told.
    public typealias Element = Change
    /// Streams of changes do not fail.
    public typealias Failure = Never

    let makeSource: () -> any ChangeSource<Change>

    init(_ makeSource: @escaping () -> any ChangeSource<Change>) { self.makeSource = makeSource }

    /// Begins an iteration, which must be where the realm belongs.
    public func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

    /// One iteration over changes.
    public struct Iterator: AsyncIteratorProtocol {
        let source: any ChangeSource<Change>

        /// The next change, once there is one, or nil at the end.
        ///
        /// - Parameter actor: where the caller runs, which must be where the realm belongs.
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
