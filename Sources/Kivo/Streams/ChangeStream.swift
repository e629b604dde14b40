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

/// A move of an element within a collection.
public struct CollectionMove: Hashable, Sendable {
    /// The element's position in the collection as last seen by the observer. It is also among the deletions.
    public let from: Int
    /// The element's position in the collection now. It is also among the insertions.
    public let to: Int

    /// A move from one position to another.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }
}

extension ChangeStream {
    /// The changes together with the moved elements, for list views that animate moves.
    ///
    ///     for await (change, moves) in dogs.sorted(byKeyPath: "age").changes.withMoves() { … }
    ///
    /// A move is a deletion and an insertion of the same element: both positions are among those of the change too. Lists report
    /// moves from the recorded operations. In sorted and filtered results, elements that were removed and inserted elsewhere
    /// count as moved. The moves ascend by ``CollectionMove/to``.
    public func withMoves<Collection>() -> MovingChangeStream<Collection>
    where Change == RealmCollectionChange<Collection> {
        MovingChangeStream(stream: self)
    }
}

/// The changes of a collection together with the moved elements; see ``ChangeStream/withMoves()``.
public struct MovingChangeStream<Collection>: AsyncSequence {
    /// A change, and the pairs of its deletions and insertions that are moves of one element.
    public typealias Element = (change: RealmCollectionChange<Collection>, moves: [CollectionMove])
    /// Streams of changes do not fail.
    public typealias Failure = Never

    let stream: ChangeStream<RealmCollectionChange<Collection>>

    /// Begins an iteration. Call this where the realm is confined.
    public func makeAsyncIterator() -> Iterator { Iterator(source: stream.makeSource()) }

    /// One iteration over changes and moves.
    public struct Iterator: AsyncIteratorProtocol {
        let source: any ChangeSource<RealmCollectionChange<Collection>>

        /// Returns the next change and its moves as soon as there is one, or nil at the end; see
        /// ``ChangeStream/Iterator/next(isolation:)``.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Element? {
            guard let element = await source.next(actor) else { return nil }
            return (element.change, element.moves.map(CollectionMove.init).sorted { $0.to < $1.to })
        }
    }
}

extension CollectionMove {
    init(_ move: CollectionChanges.Move) { self.init(from: move.from, to: move.to) }
}

@available(*, unavailable)
extension MovingChangeStream: Sendable {}
@available(*, unavailable)
extension MovingChangeStream.Iterator: Sendable {}
