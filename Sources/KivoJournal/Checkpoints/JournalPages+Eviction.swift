import KivoEngine

/// The nodes of a file that are in memory, and what becomes of them when the clock of the cache passes over them.
extension JournalPages {
    /// Notes that a checkpoint has written a node of the newest version, so that it can be evicted.
    func note(_ node: EvictableNode, at offset: Int) {
        let (expected, address) = (node.expected, UInt(bitPattern: node.reference))
        state.withLock { state in
            state.pages[offset] = Page(expected: expected, address: address, isKnown: true)
        }
        heap.cache.add(PageReference(file: number, offset: offset), node.expected, byteCount: node.byteCount)
    }

    /// Uses a catalog with all tables of the pages that a checkpoint writes.
    func adopt(_ catalog: Catalog) { state.withLock { $0.catalog = catalog } }

    /// Marks the file as the one that its log uses. The pages of any other file are not read again.
    func beginUse() { state.withLock { $0.isInUse = true } }

    func passClock(
        over offset: Int, _ slot: UnsafeMutableRawPointer, _ prepare: (UnsafeMutableRawPointer) -> Void
    ) -> ClockPass {
        let page = PageReference(file: number, offset: offset)
        while true {
            let moves = moves(of: offset)
            switch use(of: moves) {
            case .abandoned: return .gone
            case .replaced: if moves.isEmpty, hasMoved { return .gone } else { return .kept }
            case .current: break
            }
            let word = NodeSlot.load(slot)
            let isPage = leads(word, to: offset)
            let known = state.withLock { state in
                state.pages[offset].map { ($0.expected, $0.address) }
            }
            guard let (expected, address) = known, address != 0 else { return .gone }
            let reference = UnsafeMutableRawPointer(bitPattern: address)!
            // The address that is known may be that of a node that was freed, unless the newest version leads to it.
            guard isPage || word == address && PageReference(ofNode: reference) == page else { return .gone }
            prepare(reference)
            register(expected, in: moves)
            // Another compaction may have ended meanwhile.
            if self.moves(of: offset).count != moves.count { continue }
            let slotAddress = UInt(bitPattern: slot)
            let pass = state.withLock { state -> Pass in
                let slot = UnsafeMutableRawPointer(bitPattern: slotAddress)!
                // A compaction that ended meanwhile has moved the page, or a reader has published the address.
                if moves.isEmpty, state.successor(of: offset) != nil { return .again }
                if NodeSlot.load(slot) != word { return .again }
                if isPage, state.pages[offset]!.isUnused {
                    state.pages[offset]!.address = 0
                    state.pages[offset]!.isUnused = false
                    return .evicted
                }
                state.pages[offset]!.isUnused = true
                NodeSlot.publish(UInt(page.stub), in: slot)
                return .kept
            }
            switch pass {
            case .again: continue
            case .kept: return .kept
            case .evicted: return .evicted(reference)
            }
        }
    }

    func takeNode(
        at offset: Int, _ slot: UnsafeMutableRawPointer, _ expected: PageExpectation,
        _ prepare: (UnsafeMutableRawPointer) -> Void
    ) -> UnsafeMutableRawPointer? {
        let page = PageReference(file: number, offset: offset)
        let slotAddress = UInt(bitPattern: slot)
        while true {
            let moves = moves(of: offset)
            guard use(of: moves) == .current else { return nil }
            register(expected, in: moves)
            // Another compaction may have ended meanwhile.
            if self.moves(of: offset).count != moves.count { continue }
            let known = state.withLock { $0.address(of: page, slotAddress) }
            if let node = UnsafeMutableRawPointer(bitPattern: known) { prepare(node) }
            let isTaken = state.withLock { state -> Bool in
                if moves.isEmpty, state.successor(of: offset) != nil { return false }
                // A reader may have read the node meanwhile.
                if state.address(of: page, slotAddress) != known { return false }
                if state.pages[offset] == nil { state.pages[offset] = Page(expected: expected) }
                state.pages[offset]!.isKnown = true
                state.pages[offset]!.wasEvicted = true
                if known == 0 { return true }
                state.pages[offset]!.address = 0
                NodeSlot.publish(UInt(page.stub), in: UnsafeMutableRawPointer(bitPattern: slotAddress)!)
                return true
            }
            if !isTaken { continue }
            if known != 0 { return UnsafeMutableRawPointer(bitPattern: known) }
            // It may have been read from the file to which the page was moved.
            guard let move = moves.first else { return nil }
            return move.pages.takeNode(at: move.offset, slot, expected, prepare)
        }
    }

    /// Whether the log uses the file in which a page is now.
    private enum Use { case current, replaced, abandoned }

    private func use(of moves: [(pages: JournalPages, offset: Int)]) -> Use {
        (moves.last?.pages ?? self).state.withLock { state in
            state.isAbandoned ? .abandoned : state.isInUse ? .current : .replaced
        }
    }

    /// Has the files to which a page was moved know it before it is read there.
    private func register(_ expected: PageExpectation, in moves: [(pages: JournalPages, offset: Int)]) {
        for move in moves { move.pages.register(expected, at: move.offset, isKnown: true, wasEvicted: true) }
    }

    private enum Pass { case again, kept, evicted }

    /// Returns the locations of a page in the files that have replaced this one, the current one last.
    private func moves(of offset: Int) -> [(pages: JournalPages, offset: Int)] {
        var moves: [(pages: JournalPages, offset: Int)] = []
        var next = successor(of: offset)
        while let move = next {
            moves.append(move)
            next = move.pages.successor(of: move.offset)
        }
        return moves
    }

    /// Whether the word of a slot refers to a page of this file, also by its location in a file that this one has replaced.
    private func leads(_ word: UInt, to offset: Int) -> Bool {
        guard let page = PageReference(stub: UInt64(word)) else { return false }
        var next = (pages: PageFiles.file(page.file) as? JournalPages, offset: page.offset)
        while let pages = next.pages {
            if pages === self { return next.offset == offset }
            guard let move = pages.successor(of: next.offset) else { return false }
            next = (move.pages, move.offset)
        }
        return false
    }

    /// Registers the expected contents of a page, unless they are known.
    func register(_ page: PageExpectation, at offset: Int, isKnown: Bool, wasEvicted: Bool) {
        state.withLock { state in
            if state.pages[offset] == nil { state.pages[offset] = Page(expected: page) }
            if isKnown { state.pages[offset]!.isKnown = true }
            if wasEvicted { state.pages[offset]!.wasEvicted = true }
        }
    }
}

extension JournalPages.State {
    /// Returns the address of the node of a page to which a slot leads; 0 if it is not in memory, or for a page of another file.
    fileprivate func address(of page: PageReference, _ slot: UInt) -> UInt {
        let word = NodeSlot.load(UnsafeMutableRawPointer(bitPattern: slot)!)
        if PageReference(stub: UInt64(word)) != nil { return pages[page.offset]?.address ?? 0 }
        // A reader may have read it from the file to which the page was moved, where its address is known then.
        let isOfPage = PageReference(ofNode: UnsafeMutableRawPointer(bitPattern: word)!) == page
        return isOfPage && NodeSlot.isPublishing ? word : 0
    }
}
