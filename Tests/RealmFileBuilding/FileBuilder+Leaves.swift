extension FileBuilder {
    /// A leaf of values of a column or, in the order of a collection, of its elements.
    ///
    /// - Parameter tables: The places of the tables, by class.
    mutating func leaf(
        _ values: [FileValue], _ type: FileType, isOptional: Bool, isColumn: Bool = false,
        _ tables: [String: Int]
    ) -> Int64 {
        switch type {
        case .int:
            let numbers = values.map(\.integer)
            return isOptional ? optionalIntegers(numbers) : integers(numbers.map { $0! })
        case .bool: return integers(values.map { $0.integer ?? 3 })
        case .string: return texts(values.map(\.bytes))
        case .data: return blobs(values.map(\.bytes))
        case .any: return anyLeaf(values, tables)
        case .date:
            let seconds = optionalIntegers(values.map(\.integer))
            return references([seconds, integers(values.map(\.nanoseconds))])
        case .float:
            let payload = values.flatMap { FileBuilder.word($0.word(ofNull: 0x7FC0_00AA)).prefix(4) }
            return node(flags: FileBuilder.inBytes | 3, count: values.count, payload)
        case .double:
            let payload = values.flatMap { FileBuilder.word($0.word(ofNull: 0x7FF8_0000_0000_00AA)) }
            return node(flags: FileBuilder.inBytes | 4, count: values.count, payload)
        case .decimal:
            let payload = values.flatMap { value in
                let (high, low) = value.decimalWords ?? (0x7C00_0000_0000_0000, 0xAA)
                return FileBuilder.word(low) + FileBuilder.word(high)
            }
            return node(flags: FileBuilder.inBytes | 5, count: values.count, payload)
        case .object:
            // A column counts from 1, since 0 is null there.
            return integers(values.map { isColumn ? ($0.integer ?? -1) + 1 : $0.integer! })
        case .objectID: return identifiers(values.map(\.bytes), length: 12)
        case .uuid: return identifiers(values.map(\.bytes), length: 16)
        }
    }

    /// A leaf of collections.
    mutating func collections(
        _ values: [FileValue], _ property: FileClass.Property, _ tables: [String: Int]
    ) -> Int64 {
        var roots: [Int64] = []
        for value in values {
            switch value {
            case .list(let elements) where !elements.isEmpty:
                roots.append(leaf(elements, property.type, isOptional: property.isOptional, tables))
            case .dictionary(let entries) where !entries.isEmpty:
                // Links of a dictionary name their table.
                let entries = entries.mapValues { value -> FileValue in
                    if case .object(let place) = value { return .objectOf(property.target!, place) }
                    return value
                }
                roots.append(dictionary(entries, tables))
            default: roots.append(0)
            }
        }
        return references(roots)
    }

    private mutating func dictionary(_ entries: [String: FileValue], _ tables: [String: Int]) -> Int64 {
        let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let keys = texts(sorted.map { Array($0.key.utf8) })
        return references([keys, anyLeaf(sorted.map(\.value), tables)])
    }

    /// Integers behind one that stands for null.
    private mutating func optionalIntegers(_ values: [Int64?]) -> Int64 {
        let null = (0...Int64(values.count)).first { !values.contains($0) }!
        return integers([null] + values.map { $0 ?? null })
    }

    private mutating func texts(_ values: [[UInt8]?]) -> Int64 {
        let longest = values.map { $0?.count ?? 0 }.max() ?? 0
        return longest <= 15 ? strings(values) : bytes(values, limit: 63, end: [0])
    }

    private mutating func blobs(_ values: [[UInt8]?]) -> Int64 { bytes(values, limit: 64, end: []) }

    /// Bytes one behind the other or, if one of the values is long, each by itself.
    private mutating func bytes(_ values: [[UInt8]?], limit: Int, end: [UInt8]) -> Int64 {
        if values.contains(where: { ($0?.count ?? 0) > limit }) {
            return references(values.map { $0.map { blob($0 + end) } ?? 0 }, flags: FileBuilder.context)
        }
        var all: [UInt8] = []
        var ends: [Int64] = []
        for value in values {
            if let value { all += value + end }
            ends.append(Int64(all.count))
        }
        let offsets = integers(ends)
        let content = blob(all)
        return references([offsets, content, integers(values.map { $0 == nil ? 1 : 0 })])
    }

    /// Values of one length in groups of eight, each behind a byte that says which are null.
    private mutating func identifiers(_ values: [[UInt8]?], length: Int) -> Int64 {
        var payload: [UInt8] = []
        for start in stride(from: 0, to: values.count, by: 8) {
            let group = values[start..<min(start + 8, values.count)]
            payload.append(group.reversed().reduce(0) { $0 << 1 | ($1 == nil ? 1 : 0) })
            for value in group { payload += value ?? [UInt8](repeating: 0xDE, count: length) }
        }
        return node(flags: FileBuilder.inBytes | 1, count: payload.count, payload)
    }

    /// Writes values of any type: a value that does not fit its own number is in one of four leaves beside it.
    private mutating func anyLeaf(_ values: [FileValue], _ tables: [String: Int]) -> Int64 {
        var words: [Int64] = []
        var pairs: [Int64] = []
        var texts: [[UInt8]?] = []
        var collections: [Int64] = []
        let composites = values.map { value -> Int64 in
            func composite(_ type: Int64, _ leaf: Int64, _ content: Int) -> Int64 {
                Int64(content) << 8 | leaf << 5 | type + 1
            }
            func word(_ type: FileType) -> Int64 {
                words.append(Int64(bitPattern: value.word(ofNull: 0)))
                return composite(Int64(type.rawValue), 1, words.count - 1)
            }
            func pair(_ type: Int64, _ first: Int64, _ second: Int64) -> Int64 {
                pairs += [first, second]
                return composite(type, 2, pairs.count / 2 - 1)
            }
            func bytes(_ type: FileType) -> Int64 {
                texts.append(value.bytes)
                return composite(Int64(type.rawValue), 3, texts.count - 1)
            }
            switch value {
            case .null: return 0
            case .int(let number):
                return Int32(exactly: number).map { composite(0, 0, Int($0)) } ?? word(.int)
            case .bool(let value): return composite(1, 0, value ? 1 : 0)
            case .string: return bytes(.string)
            case .data: return bytes(.data)
            case .date(let seconds, let nanoseconds): return pair(8, seconds, nanoseconds)
            case .float: return word(.float)
            case .double: return word(.double)
            case .decimal:
                let (high, low) = value.decimalWords!
                return pair(11, Int64(bitPattern: low), Int64(bitPattern: high))
            case .objectID: return bytes(.objectID)
            case .uuid: return bytes(.uuid)
            case .object: preconditionFailure("A value of any type names the class of its object.")
            case .objectOf(let name, let place): return pair(16, Int64(tables[name]!), Int64(place))
            case .list(let elements):
                collections.append(elements.isEmpty ? 0 : anyLeaf(elements, tables))
                return composite(19, 4, collections.count - 1)
            case .dictionary(let entries):
                collections.append(entries.isEmpty ? 0 : dictionary(entries, tables))
                return composite(21, 4, collections.count - 1)
            }
        }
        let parts = [
            integers(composites), words.isEmpty ? 0 : integers(words), pairs.isEmpty ? 0 : integers(pairs),
            texts.isEmpty ? 0 : self.texts(texts), collections.isEmpty ? 0 : references(collections), 0,
        ]
        return references(parts)
    }
}

extension FileValue {
    /// The number that the value is, or the first of those; nil for null.
    fileprivate var integer: Int64? {
        switch self {
        case .int(let value): value
        case .bool(let value): value ? 1 : 0
        case .date(let seconds, _): seconds
        case .object(let place): Int64(place)
        default: nil
        }
    }

    fileprivate var nanoseconds: Int64 {
        if case .date(_, let nanoseconds) = self { nanoseconds } else { 0 }
    }

    fileprivate func word(ofNull null: UInt64) -> UInt64 {
        switch self {
        case .int(let value): UInt64(bitPattern: value)
        case .float(let value): UInt64(value.bitPattern)
        case .double(let value): value.bitPattern
        default: null
        }
    }

    fileprivate var bytes: [UInt8]? {
        switch self {
        case .string(let text): Array(text.utf8)
        case .data(let bytes), .objectID(let bytes), .uuid(let bytes): bytes
        default: nil
        }
    }

    fileprivate var decimalWords: (high: UInt64, low: UInt64)? {
        guard case .decimal(let digits, let fraction) = self else { return nil }
        return (UInt64(6176 - fraction) << 49, digits)
    }
}
