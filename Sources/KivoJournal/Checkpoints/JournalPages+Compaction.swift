import KivoEngine

/// The move of pages to a compacted file, where nodes that are not in memory are found afterwards.
extension JournalPages {
    /// Redirects lookups of nodes that are not in memory to a compacted file, by the offsets of their pages in that file. Every
    /// page that a version can still reach is either in memory or among these pages: a transaction reads a node before it removes
    /// it from the newest version. Large values that were not copied are read into memory here.
    private func move(to pages: JournalPages, _ offsets: [Int: Int]) {
        state.withLock { state in
            for (offset, newOffset) in offsets {
                // If the page has no parent in memory, the page of its parent will provide the expectation.
                guard let page = state.pages[offset] else { continue }
                pages.register(
                    page.expected, at: newOffset, isKnown: page.isKnown || page.address != 0,
                    wasEvicted: page.wasEvicted)
            }
            for offset in state.keptValues.keys {
                if let newOffset = offsets[offset] {
                    pages.retainValue(at: newOffset)
                } else if let expected = state.pages[offset]?.expected {
                    do {
                        state.keptValues[offset] = try readValue(at: offset, expected)
                    } catch {
                        trap(error, at: offset)
                    }
                }
            }
            state.successor = (pages, offsets)
            state.isInUse = false
        }
    }

    /// Redirects pages of several files to a compacted file.
    ///
    /// - Parameter replaced: The pages of the file that is being closed. Older versions may see its values even if none of its
    ///   pages was carried over.
    static func move(
        _ moved: [PageReference: Int], to pages: JournalPages, replacing replaced: JournalPages? = nil
    ) {
        var files = Dictionary(grouping: moved, by: \.key.file)
        if let replaced { files[replaced.number, default: []] += [] }
        for (number, references) in files {
            let offsets = Dictionary(uniqueKeysWithValues: references.map { ($0.key.offset, $0.value) })
            (PageFiles.file(number) as? JournalPages)?.move(to: pages, offsets)
        }
    }

    /// Returns the bytes of a page that is to be carried over to another file.
    static func bytes(of page: PageReference) throws -> [UInt8] {
        guard let file = PageFiles.file(page.file) as? JournalPages else {
            throw PageFlaw("a page is of a file that is gone")
        }
        let bytes = try file.page(at: page.offset)
        defer { bytes.deallocate() }
        return Array(bytes)
    }

    func bytes(at offset: Int) -> [UInt8]? {
        let (pages, newOffset) = current(offset)
        guard let bytes = try? pages.page(at: newOffset) else { return nil }
        defer { bytes.deallocate() }
        return Array(bytes)
    }

    /// Returns the current location of a page.
    private func current(_ offset: Int) -> (pages: JournalPages, offset: Int) {
        var (pages, offset) = (self, offset)
        while let next = pages.successor(of: offset) { (pages, offset) = next }
        return (pages, offset)
    }

    func successor(of offset: Int) -> (pages: JournalPages, offset: Int)? {
        state.withLock { $0.successor(of: offset) }
    }

    /// Whether a compacted file has taken the place of this one.
    var hasMoved: Bool { state.withLock { $0.successor != nil } }

    /// Marks the file as abandoned. Nodes that were written to it are then in no page.
    func abandon() { state.withLock { $0.isAbandoned = true } }

    /// Returns the current reference of a page of this file, or of another file of its log; nil if its file was abandoned.
    func current(_ page: PageReference) -> PageReference? {
        guard let file = PageFiles.file(page.file) as? JournalPages else { return page }
        if file.state.withLock({ $0.isAbandoned }) { return nil }
        let (pages, offset) = file.current(page.offset)
        return PageReference(file: pages.number, offset: offset)
    }
}
