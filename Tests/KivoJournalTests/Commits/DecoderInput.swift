@testable import KivoEngine
@testable import KivoJournal

/// The input of the fuzzer for the decoders of records, pages and checkpoints: the payloads of records, from which a file with
/// correct checksums is made. In an input each payload follows its kind (1 byte) and its length (3 bytes, little-endian).
///
/// The fuzzer is not part of the package. It calls ``decode(_:)`` with variations of the inputs in `Resources/Decoders`.
struct DecoderInput {
    /// The file.
    let bytes: [UInt8]
    /// The kinds of the records, and where in the file their payloads are.
    let records: [(kind: UInt8, payload: Range<Int>)]

    private static let journal: UInt64 = 0x0123_4567_89AB_CDEF
    private static let recordLimit = 200

    init(_ input: [UInt8]) {
        var file = [UInt8](repeating: 0, count: FileHeader.largestSize)
        var records: [(UInt8, Range<Int>)] = []
        var checkpoints: [(sequence: UInt64, offset: Int)] = []
        var rest = input[...]
        while rest.count >= 4, records.count < DecoderInput.recordLimit {
            let kind = rest.removeFirst()
            let wanted =
                Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8 | Int(rest.removeFirst()) << 16
            var payload = Array(rest.prefix(wanted))
            rest = rest.dropFirst(wanted)
            let offset = file.count
            let start = offset + RecordHeader.size
            if kind == RecordKind.pages.rawValue { DecoderInput.seal(pages: &payload, at: start) }
            let header = RecordHeader(
                length: payload.count, kind: RecordKind(rawValue: kind), sequence: UInt64(records.count + 1),
                journal: DecoderInput.journal, offset: offset)
            file += [UInt8](repeating: 0, count: header.recordSize)
            file.withUnsafeMutableBytes { bytes in
                let record = UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
                header.encode(into: record)
                record[RecordHeader.size...].copyBytes(from: payload)
                let padded = UnsafeRawBufferPointer(
                    rebasing: UnsafeRawBufferPointer(record)[RecordHeader.size..<record.count - 8])
                record.store(Checksum.of(padded, seed: header.checksum), at: record.count - 8)
            }
            records.append((kind, start..<start + payload.count))
            if kind == RecordKind.checkpoint.rawValue { checkpoints.append((header.sequence, offset)) }
        }
        file.withUnsafeMutableBytes { DecoderInput.encodeHeader(into: $0, checkpoints.suffix(2)) }
        (bytes, self.records) = (file, records)
    }

    private static func encodeHeader(
        into bytes: UnsafeMutableRawBufferPointer, _ checkpoints: ArraySlice<(sequence: UInt64, offset: Int)>
    ) {
        FileHeader(id: journal, record: FileHeader.largestSize).encode(
            into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<FileHeader.largestSize]))
        for (place, checkpoint) in zip(CheckpointSlot.offsets, checkpoints) {
            bytes.store(checkpoint.sequence, at: place)
            bytes.store(UInt64(checkpoint.offset), at: place + 8)
            let slot = UnsafeRawBufferPointer(rebasing: bytes[place..<place + 24])
            bytes.store(Checksum.of(slot, seed: Checksum.seed(journal, UInt64(place))), at: place + 24)
        }
    }

    /// Corrects the checksums of pages, as far as the pages' boundaries can be found.
    private static func seal(pages: inout [UInt8], at offset: Int) {
        pages.withUnsafeMutableBytes { bytes in
            forEachPage(UnsafeRawBufferPointer(bytes)) { range in
                let page = UnsafeMutableRawBufferPointer(rebasing: bytes[range])
                page.store(
                    JournalPages.checksum(
                        UnsafeRawBufferPointer(page), journal: journal, offset: offset + range.lowerBound),
                    at: 0)
            }
        }
    }

    private static func forEachPage(_ bytes: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void) {
        var start = 0
        while start + PageLayout.headerSize <= bytes.count,
            let length = PageLayout.length(UnsafeRawBufferPointer(rebasing: bytes[start...])), length > 0,
            length <= bytes.count - start
        {
            body(start..<start + length)
            start += length
        }
    }

    // MARK: Decoding

    /// Decodes an input in all ways that there are. Nothing may trap, whatever the input is.
    static func decode(_ input: [UInt8]) {
        let file = DecoderInput(input)
        _ = try? JournalVerification.verify(MemoryDevice(file.bytes))
        file.salvage()
        file.decodePages()
        // A checkpoint with correct checksums is trusted, except for memory safety.
        if !file.records.contains(where: { $0.kind == RecordKind.checkpoint.rawValue }) { file.replay() }
    }

    private func salvage() {
        var store = Replay(Heap())
        _ = try? JournalSalvage.read(MemoryDevice(bytes), into: &store)
        store.discard()
    }

    private func replay() {
        var store = Replay(Heap())
        var decoder = CommitDecoder()
        for record in records {
            let payload = Array(bytes[record.payload])
            do {
                try payload.withUnsafeBytes { payload in
                    switch RecordKind(rawValue: record.kind) {
                    case .commit: try decoder.replay(payload, into: &store)
                    case .migration: _ = try decoder.migrate(payload, into: &store)
                    default: break
                    }
                }
            } catch {
                break
            }
        }
        store.discard()
    }

    private func decodePages() {
        var catalog = Catalog()
        for record in records where record.kind == RecordKind.checkpoint.rawValue {
            bytes.withUnsafeBytes { bytes in
                let payload = UnsafeRawBufferPointer(rebasing: bytes[record.payload])
                guard let checkpoint = try? CheckpointRecord(payload) else { return }
                if let restored = try? Catalog(restoring: checkpoint.tables) { catalog = restored }
            }
        }
        for record in records where record.kind == RecordKind.pages.rawValue {
            let payload = Array(bytes[record.payload])
            payload.withUnsafeBytes { payload in
                DecoderInput.forEachPage(payload) { range in
                    for expected in PageExpectation.examples(catalog) {
                        var reader = PageReader(
                            UnsafeRawBufferPointer(rebasing: payload[range]),
                            PageReference(file: 1, offset: 8), expected, catalog, Heap())
                        _ = try? reader.contents()
                    }
                }
            }
        }
    }
}

extension PageExpectation {
    /// Returns expectations of pages of every kind, with unknown counts.
    fileprivate static func examples(_ catalog: Catalog) -> [PageExpectation] {
        var examples: [PageExpectation] = [
            .index(ExpectedIndexNode(table: 0, ordinal: 0, level: 0, prefix: 0, nextKey: .max)),
            .value(isString: true),
            .value(isString: false),
        ]
        for table in catalog.tables.indices {
            for level: UInt8 in [0, 1] {
                let place = ExpectedTreeNode(
                    table: Int32(table), level: level, prefix: 0, count: PageExpectation.unknown,
                    nextKey: .max)
                examples.append(.tree(place))
            }
            for column in catalog.tables[table].columns where column.kind == .sequence {
                examples.append(.sequence(ExpectedSequenceNode(column)))
            }
        }
        return examples
    }
}
