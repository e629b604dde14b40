/// Changes of a device that hold after a kill at any moment, with a loss of power at any later one.
///
/// A kill leaves what was written in the system's cache, where the next process reads it; a loss of power after that may take any
/// of it away. So records of others are written and flushed again before anything is built on them, and what is no record is
/// removed from its end: its header goes last, because the next process removes the rest only if it finds something.
extension JournalDevice {
    /// Makes bytes durable that another process wrote and perhaps did not flush.
    ///
    /// They are written again: after a flush that failed, a system may take bytes for written that are not. The pages of the header
    /// are flushed one by one, so that a loss of power while one is written leaves the other; first what another process was killed
    /// over.
    func settle(_ range: Range<Int>) throws(JournalError) {
        var start = range.lowerBound
        if start < FileHeader.largestSize { try synchronize() }
        for page in [0, FileHeader.size] {
            let end = min(page + FileHeader.size, range.upperBound)
            if start >= end { continue }
            try settleAtOnce(start..<end)
            start = end
        }
        if start < range.upperBound || range.isEmpty { try settleAtOnce(start..<range.upperBound) }
    }

    private func settleAtOnce(_ range: Range<Int>) throws(JournalError) {
        do {
            try rewrite(range)
        } catch  where error.isNoSpace {
            // Some file systems need room for that. What was not flushed yet can be flushed all the same.
        }
        try synchronize()
    }

    private func rewrite(_ range: Range<Int>) throws(JournalError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(range.count, FileWindow.usualCapacity), alignment: 16)
        defer { bytes.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let part = UnsafeMutableRawBufferPointer(
                rebasing: bytes[..<min(bytes.count, range.upperBound - offset)])
            guard try read(into: part, at: offset) == part.count else {
                throw .corrupt(offset: offset, reason: "the file became shorter while it was read")
            }
            try write(UnsafeRawBufferPointer(part), at: offset)
            offset += part.count
        }
    }

    /// Removes the remains of a record that another process, or a loss of power, has left behind the last one.
    ///
    /// - Parameter end: Where the last record ends; the device ends there, too, afterwards.
    func removeRemains(from end: Int) throws(JournalError) {
        let headerEnd = end + RecordHeader.size
        let reached = try size()
        if reached > headerEnd {
            if reached - end > RecordHeader.largestUnannounced {
                try truncate(to: headerEnd)
                try synchronize()
            }
            try invalidateHeader(at: end)
            if try size() > headerEnd { try truncate(to: headerEnd) }
            try synchronize()
        }
        if try size() > end { try truncate(to: end) }
        try synchronize()
    }

    /// Removes a record that this process could not write as a whole, and leaves zeros within what was allocated before.
    ///
    /// - Parameters:
    ///   - range: Where the record may be.
    ///   - allocated: The size of the device before.
    func removeRecord(_ range: Range<Int>, allocated: Int) throws(JournalError) {
        let end = range.lowerBound
        let headerEnd = end + RecordHeader.size
        let kept = max(allocated, headerEnd)
        // Less than was allocated is left if this was tried before, and failed.
        let rest = min(range.upperBound, allocated, try size())
        // Zeros rather than a shorter file: the space stays ours, and if it was synchronizing that failed, the system has to write
        // these pages again.
        try writeZeros(headerEnd..<max(headerEnd, rest))
        if try size() > kept { try truncate(to: kept) }
        if range.count > RecordHeader.largestUnannounced { try synchronize() }
        if try size() >= headerEnd { try invalidateHeader(at: end) }
        try synchronize()
        try writeZeros(end..<max(end, min(headerEnd, rest)))
        if try size() > allocated { try truncate(to: allocated) }
        try synchronize()
    }

    /// Overwrites a header by what is none. If the next record is written over it, and is longer, a loss of power could leave the old
    /// header with parts of the new payload, which are too many for it.
    private func invalidateHeader(at offset: Int) throws(JournalError) {
        var ones = UInt64.max
        try withUnsafeBytes(of: &ones) { bytes throws(JournalError) in try write(bytes, at: offset) }
    }

    func writeZeros(_ range: Range<Int>) throws(JournalError) {
        if range.isEmpty { return }
        let zeros = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(range.count, 1 << 18), alignment: 16)
        defer { zeros.deallocate() }
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(zeros.count, range.upperBound - offset)
            try write(UnsafeRawBufferPointer(rebasing: zeros[..<count]), at: offset)
            offset += count
        }
    }
}
