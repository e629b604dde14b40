import KivoEngine

/// Gives bytes that were changed the checksums that they need: for those who prove what becomes of forged files.
package enum PageSeal {
    /// Seals a page of a file in memory, and the record that holds it.
    ///
    /// - Parameters:
    ///   - page: The bytes of the page.
    ///   - record: The bytes of the record, its header and checksum included.
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

    /// The records of a file in memory that hold pages, each with its pages.
    package static func pages(of file: [UInt8]) -> [(record: Range<Int>, pages: [Range<Int>])] {
        file.withUnsafeBytes { file in
            guard let header = try? FileHeader(file) else { return [] }
            var found: [(Range<Int>, [Range<Int>])] = []
            var start = header.recordsOffset
            while start + RecordHeader.size <= file.count {
                let bytes = UnsafeRawBufferPointer(rebasing: file[start..<start + RecordHeader.size])
                guard let record = RecordHeader(bytes, journal: header.id, offset: start) else { break }
                let end = start + record.recordSize
                if record.kind == RecordKind.pages.rawValue {
                    var (pages, place) = ([Range<Int>](), start + RecordHeader.size)
                    while place + PageLayout.headerSize < end - 8,
                        let length = PageLayout.length(UnsafeRawBufferPointer(rebasing: file[place...])),
                        length > 0
                    {
                        pages.append(place..<place + length)
                        place += length
                    }
                    found.append((start..<end, pages))
                }
                start = end
            }
            return found
        }
    }
}
