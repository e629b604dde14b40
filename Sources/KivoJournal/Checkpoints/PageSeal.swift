import KivoEngine

/// Functions that recompute the checksums of changed bytes, for tests with forged files.
package enum PageSeal {
    /// Recomputes the checksums of a page of a file in memory, and of the record that contains it.
    ///
    /// - Parameters:
    ///   - page: The bytes of the page.
    ///   - record: The bytes of the record, including its header and checksum.
    package static func seal(_ page: Range<Int>, of record: Range<Int>, in file: inout [UInt8]) {
        file.withUnsafeMutableBytes { bytes in
            let file = UnsafeRawBufferPointer(bytes)
            guard let header = try? FileHeader(file) else { return }
            let part = UnsafeRawBufferPointer(rebasing: file[page])
            bytes.store(
                JournalPages.checksum(part, journal: header.id, offset: page.lowerBound), at: page.lowerBound)
            let padded = UnsafeRawBufferPointer(
                rebasing: file[record.lowerBound + RecordHeader.size..<record.upperBound - 8])
            bytes.store(
                Checksum.of(padded, seed: file.number(at: record.lowerBound + 24)), at: record.upperBound - 8)
        }
    }

    /// Returns the records of a file in memory that contain pages, each with its pages.
    package static func pages(of file: [UInt8]) -> [(record: Range<Int>, pages: [Range<Int>])] {
        file.withUnsafeBytes { file in
            guard let header = try? FileHeader(file) else { return [] }
            var records: [(Range<Int>, [Range<Int>])] = []
            var start = header.recordsOffset
            while start + RecordHeader.size <= file.count {
                let bytes = UnsafeRawBufferPointer(rebasing: file[start..<start + RecordHeader.size])
                guard let record = RecordHeader(bytes, journal: header.id, offset: start) else { break }
                let end = start + record.recordSize
                if record.kind == .pages {
                    var (pages, offset) = ([Range<Int>](), start + RecordHeader.size)
                    while offset + PageLayout.headerSize < end - 8,
                        let length = PageLayout.length(UnsafeRawBufferPointer(rebasing: file[offset...])),
                        length > 0
                    {
                        pages.append(offset..<offset + length)
                        offset += length
                    }
                    records.append((start..<end, pages))
                }
                start = end
            }
            return records
        }
    }
}

/// The reaction to access to a damaged page: the program stops with a message of one sentence.
package enum PageDamage {
    private static let handler = Lock<(@Sendable (String) -> Never)?>(nil)

    /// Registers a closure that is called with the message instead of trapping, on the thread that accessed the page. The closure
    /// must end the process. For tools whose user has chosen the file.
    package static func whenReached(_ body: @escaping @Sendable (String) -> Never) {
        handler.withLock { $0 = body }
    }

    /// Stops the program with a message.
    static func stop(_ message: String) -> Never {
        if let handler = handler.withLock({ $0 }) { handler(message) }
        fatalError(message)
    }
}
