/// Changes of a device that stay valid if the process is killed at any moment, with a loss of power at any later one.
///
/// After a kill, the written bytes are in the system's cache, where the next process reads them; a loss of power may then remove
/// any of them. So the records of other processes are written and flushed again before further records depend on them. Incomplete
/// records are removed from their end. Their header is removed last, because the next process removes the rest only if it finds a
/// nonzero header.
extension JournalDevice {
    /// Makes bytes durable that another process wrote and perhaps did not flush.
    ///
    /// The bytes are written again, because after a failed flush a system may wrongly regard bytes as written. The pages of the
    /// header are flushed one by one, so that a loss of power during the write of one leaves the other intact. The writes of a
    /// process that was killed are flushed first.
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
            // Some file systems need space for that. Bytes that were not flushed yet can still be flushed.
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

    /// Removes the remains of an unfinished record after the last record, which another process or a loss of power has left.
    ///
    /// - Parameter end: The end of the last record, and afterwards of the device.
    func removeRemains(from end: Int) throws(JournalError) {
        let headerEnd = end + RecordHeader.size
        let reached = try size()
        if reached > headerEnd {
            if reached - end > RecordHeader.largestUnannounced { try truncate(to: headerEnd) }
            // Also a file that is shorter may have had a larger record: whoever truncated it has perhaps not flushed it. Without its
            // header, such a record is more damage than recovery accepts.
            try synchronize()
            try invalidateHeader(at: end)
            if try size() > headerEnd { try truncate(to: headerEnd) }
            try synchronize()
        }
        if try size() > end { try truncate(to: end) }
        try synchronize()
    }

    /// Removes a record that this process could not write completely, and leaves zeros in the space that was allocated before.
    ///
    /// - Parameters:
    ///   - range: The bytes that the record may occupy.
    ///   - allocated: The size of the device before the record.
    func removeRecord(_ range: Range<Int>, allocated: Int) throws(JournalError) {
        let end = range.lowerBound
        let headerEnd = end + RecordHeader.size
        let kept = max(allocated, headerEnd)
        // Less than the allocated space is left if an earlier attempt failed.
        let rest = min(range.upperBound, allocated, try size())
        // Zeros instead of truncation: the space stays allocated, and if synchronizing failed, the system has to write these
        // pages again.
        try writeZeros(headerEnd..<max(headerEnd, rest))
        if try size() > kept { try truncate(to: kept) }
        if range.count > RecordHeader.largestUnannounced { try synchronize() }
        if try size() >= headerEnd { try invalidateHeader(at: end) }
        try synchronize()
        try writeZeros(end..<max(end, min(headerEnd, rest)))
        if try size() > allocated { try truncate(to: allocated) }
        try synchronize()
    }

    /// Overwrites a header with invalid bytes. Without this, a longer record could be written over it. A loss of power could then
    /// leave the old header with parts of the new payload, which are too many for it.
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
