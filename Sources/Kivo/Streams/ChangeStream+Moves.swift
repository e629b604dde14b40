import KivoEngine

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
