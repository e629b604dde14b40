/// The elements of a view as they were at one moment, in their order. They stay so while the view follows further changes.
///
/// Thread-safe: the nodes are never changed, because the tree copies those that it made before this was taken. The history keeps
/// them until this is released.
package final class FrozenOrder: @unchecked Sendable {
    private let sequence: PersistentSequence
    private let range: Range<Int>
    private let history: OrderHistory
    private let time: UInt64

    fileprivate init(
        _ sequence: PersistentSequence, _ range: Range<Int>, _ history: OrderHistory, _ time: UInt64
    ) {
        (self.sequence, self.range, self.history, self.time) = (sequence, range, history, time)
    }

    deinit { history.release(time) }

    /// The number of elements. O(1).
    package var count: Int { range.count }

    /// Returns the object at a position. O(log n).
    package func key(at position: Int) -> ObjectKey {
        OrderTree.entry(sequence.pointer(at: range.lowerBound + position), 0).token
    }

    /// The objects in order. O(n).
    package var keys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        OrderTree.forEach(of: sequence, in: range) { keys.append($0.token) }
        return keys
    }
}

/// The nodes that an ``OrderTree`` has replaced while frozen orders need them.
///
///     times at which orders were frozen, and still are:     3          7          8
///     nodes that were replaced after that time,             ■ ■        ■          ■ ■ ■
///     and are in no later frozen order
///
/// Time advances with each order that is frozen. A node carries the time at which it was made, so a frozen order has the nodes that
/// were made up to its time and replaced after it. Each node waits at the last frozen order that has it. When that order is released,
/// the node is passed to the one before, or freed if it was made after that.
final class OrderHistory: Sendable {
    /// A frozen order. Proof for `Sendable`: the lock is held when its nodes are accessed.
    private struct Moment: @unchecked Sendable {
        let time: UInt64
        var nodes: [UnsafeMutableRawPointer] = []
    }

    private let heap: Heap
    /// The frozen orders, ascending by time.
    private let moments = Lock<[Moment]>([])

    init(_ heap: Heap) { self.heap = heap }

    /// Freezes the order of a tree's elements in a range of positions, at a time after those of all others.
    func freeze(_ sequence: PersistentSequence, _ range: Range<Int>, at time: UInt64) -> FrozenOrder {
        moments.withLock { $0.append(Moment(time: time)) }
        return FrozenOrder(sequence, range, self, time)
    }

    /// Takes over the nodes that the tree does not need any more.
    func retire(_ nodes: [UnsafeMutableRawPointer]) {
        if nodes.isEmpty { return }
        let nodes = Moment(time: .max, nodes: nodes)
        moments.withLock { moments in pass(nodes, to: &moments, moments.count - 1) }
    }

    /// Releases the frozen order of a time.
    fileprivate func release(_ time: UInt64) {
        moments.withLock { moments in
            let index = moments.partitionPoint { $0.time < time }
            pass(moments.remove(at: index), to: &moments, index - 1)
        }
    }

    /// Passes nodes to a frozen order, and frees those that were made after it. At an index before the first there is none.
    private func pass(_ moment: Moment, to moments: inout [Moment], _ index: Int) {
        for node in moment.nodes {
            if index >= 0, node.nodeOwner <= moments[index].time {
                moments[index].nodes.append(node)
            } else {
                heap.free(node)
            }
        }
    }
}
