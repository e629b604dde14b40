import KivoEngine

/// An element of a collection that is at another place than before.
public struct CollectionMove: Hashable, Sendable {
    /// Its position in the collection as the observer saw it last, which is also among the deletions.
    public let from: Int
    /// Its position in the collection as it is now, which is also among the insertions.
    public let to: Int

    /// A move from one position to another.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }
}

extension ChangeStream {
    /// The changes together with the elements that moved, for list views that animate them.
    ///
    ///     for await (change, moves) in dogs.sorted(byKeyPath: "age").changes.withMoves() { … }
    ///
    /// A move is a deletion and an insertion of the same element: both positions are among those of the change too. Lists
    /// know what was moved from the operations that were carried out; of sorted and filtered results, elements moved that were
    /// taken out and put in elsewhere. The moves ascend by ``CollectionMove/to``.
    public func withMoves<Collection>() -> MovingChangeStream<Collection>
    where Change == RealmCollectionChange<Collection> {
        MovingChangeStream(stream: self)
    }
}

/// The changes of a collection together with the elements that moved; see ``ChangeStream/withMoves()``.
public struct MovingChangeStream<Collection>: AsyncSequence {
    /// A change, and what of its deletions and insertions is one element that moved.
    public typealias Element = (change: RealmCollectionChange<Collection>, moves: [CollectionMove])
    /// Streams of changes do not fail.
    public typealias Failure = Never

    let stream: ChangeStream<RealmCollectionChange<Collection>>

    /// Begins an iteration, which must be where the realm belongs.
    public func makeAsyncIterator() -> Iterator { Iterator(source: stream.makeSource()) }

    /// One iteration over changes and moves.
    public struct Iterator: AsyncIteratorProtocol {
        let source: any ChangeSource<RealmCollectionChange<Collection>>

        /// The next change and its moves, once there is one, or nil at the end; see
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
