/// A scan of leaves for the rows whose collections pass a test. Each row has one collection, in a column of its own or of the row
/// to which its links lead.
struct CollectionScan<Test: SequenceTest> {
    /// The links to the owners of the collections; nil if the rows themselves own them.
    let route: LinkRoute?
    let column: Int
    let test: Test

    /// Returns the candidates whose collections pass. Behind a null link, a collection is empty.
    func matches(_ leaf: Leaf, _ candidates: Bits256) -> Bits256 {
        // A copy, because a test may remember where it was.
        var test = test
        guard let route else { return matches(leaf.column(column).data, candidates, &test) }
        var (matches, last) = (Bits256(), Leaf?.none)
        candidates.forEach { slot in
            let root = route.end(leaf, slot, last: &last).flatMap {
                NodeSlot.node($0.leaf.column(column).data + $0.slot * 8, .sequence)
            }
            if test.holds(root) { matches.insert(slot) }
        }
        return matches
    }

    /// Returns the candidates whose collections in a column pass.
    private func matches(
        _ data: UnsafeMutableRawPointer, _ candidates: Bits256, _ test: inout Test
    ) -> Bits256 {
        var matches = Bits256()
        for index in 0..<4 {
            let slots = data + index &* 64 &* 8
            let small = smallSequences(slots, candidates[word: index])
            var (rest, found) = (candidates[word: index], UInt64(0))
            while rest != 0 {
                let slot = rest.trailingZeroBitCount
                rest &= rest &- 1
                let isSmall = small &>> UInt64(slot) & 1 != 0
                let root =
                    isSmall
                    ? UnsafeMutableRawPointer(bitPattern: NodeSlot.load(slots + slot &* 8))
                    : NodeSlot.node(slots + slot &* 8, .sequence)
                if test.holds(root) { found |= 1 &<< UInt64(slot) }
            }
            matches[word: index] = found
        }
        return matches
    }

    /// Returns those of up to 64 sequences that consist of one leaf in memory.
    ///
    /// This also brings the leaves into the cache: they are scattered, and a test takes so many instructions that the processor
    /// would wait for one leaf after the other, whereas here it waits for many at once.
    @inline(__always)
    private func smallSequences(_ slots: UnsafeMutableRawPointer, _ candidates: UInt64) -> UInt64 {
        var (rest, small, sum) = (candidates, UInt64(0), UInt64(0))
        while rest != 0 {
            let slot = rest.trailingZeroBitCount
            rest &= rest &- 1
            guard let root = NodeSlot.address(slots + slot &* 8) else { continue }
            let node = SequenceNode(base: root)
            small |= (node.isLeaf ? 1 : 0) &<< UInt64(slot)
            // The number, and the fourth word, for which every leaf has room, may be in the next line of the cache.
            sum &+= UInt64(truncatingIfNeeded: node.total)
            if Test.readsElements { sum &+= node.elements.load(fromByteOffset: 24, as: UInt64.self) }
        }
        // A use of the sum, so that the compiler does not remove the reads. Any answer is right, and this one is slower.
        return sum == .max ? 0 : small
    }

    /// The scan as a closure, inverted if the rows must fail the test.
    func scan(isInverted: Bool) -> LeafScan {
        if !isInverted { return { leaf, candidates in matches(leaf, candidates) } }
        return { leaf, candidates in candidates.subtracting(matches(leaf, candidates)) }
    }
}

extension RowOperand {
    /// Returns a scan for the rows whose values of a collection, or of a function of one, pass a test as the quantifier requires.
    /// Returns nil for other operands, and for collections that are not reached over to-one links.
    func scanCollections(_ quantifier: Quantifier, _ test: ValueTest, _ snapshot: Snapshot) -> LeafScan? {
        switch self {
        case .path(let path): return path.scanElements(quantifier, test, snapshot)
        case .aggregate(let aggregate):
            let (route, rest) = aggregate.collection.leadingLinks(snapshot)
            guard rest == 0, case .elements(let column, let element) = aggregate.collection.end else {
                return nil
            }
            let isInverted = quantifier.isNegation
            if aggregate.function == .count {
                let test = CountTest(test: WordTest(test))
                return CollectionScan(route: route, column: column, test: test).scan(isInverted: isInverted)
            }
            guard let test = AggregateTest(aggregate, element, test, snapshot) else { return nil }
            return CollectionScan(route: route, column: column, test: test).scan(isInverted: isInverted)
        case .matching(let collection, let predicate):
            let (route, rest) = collection.leadingLinks(snapshot)
            guard rest == 0, case .elements(let column, .link) = collection.end,
                let target = collection.target
            else { return nil }
            let rows = MatchingRows(predicate, target, snapshot)
            let test = MatchingCountTest(rows: rows, test: WordTest(test))
            return CollectionScan(route: route, column: column, test: test).scan(
                isInverted: quantifier.isNegation)
        case .element, .inside, .constant, .computed, .derived: return nil
        }
    }
}

extension ResolvedPath {
    /// Returns the to-one links with which the path begins, nil if there are none, and the number of hops after them.
    fileprivate func leadingLinks(_ snapshot: Snapshot) -> (route: LinkRoute?, rest: Int) {
        let links = hops.prefix { if case .link = $0 { true } else { false } }
        return (LinkRoute(links, snapshot), hops.count - links.count)
    }

    /// Returns a scan for the rows with as many elements of a collection, or of values behind its objects, as the quantifier
    /// requires to pass a test; nil for other paths.
    fileprivate func scanElements(
        _ quantifier: Quantifier, _ test: ValueTest, _ snapshot: Snapshot
    ) -> LeafScan? {
        let (route, rest) = leadingLinks(snapshot)
        let (wanted, isInverted) = (quantifier.isDecidedByMatch, !quantifier.requiresDecision)
        if rest == 0 {
            guard case .elements(let column, let element) = end else { return nil }
            let test = ElementTest(element, test, wanted: wanted)
            return CollectionScan(route: route, column: column, test: test).scan(isInverted: isInverted)
        }
        let position = hops.count - rest
        guard case .elements(let column, let target) = hops[position] else { return nil }
        let further = dropping(position + 1)
        // A path with a single value reads null behind a null link, but yields no value as a part of this path.
        guard further.hops.isEmpty || !further.isSingle else { return nil }
        if case .nested = further.end { return nil }
        let passes = RowPredicate.test(wanted ? .any : .all, .path(further), test)
        let rows = MatchingRows(wanted ? passes : .not(passes), target, snapshot)
        return CollectionScan(route: route, column: column, test: LinkedRowTest(rows: rows)).scan(
            isInverted: isInverted)
    }
}
