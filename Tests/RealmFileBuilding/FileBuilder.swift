/// Writes small files, with parts which the files of the directory do not have.
package struct FileBuilder {
    package private(set) var bytes = [UInt8](repeating: 0, count: 24)
    package let version: UInt8

    /// The unit of the width of a node's elements, in the bits of its header.
    package static let inBytes: UInt8 = 0x08
    package static let without: UInt8 = 0x10
    package static let context: UInt8 = 0x20
    package static let refs: UInt8 = 0x40
    package static let inner: UInt8 = 0x80

    package init(version: UInt8 = 24) {
        self.version = version
    }

    /// Writes a node and returns where it is.
    package mutating func node(flags: UInt8, count: Int, _ payload: [UInt8] = []) -> Int64 {
        let ref = Int64(bytes.count)
        bytes += [0x41, 0x41, 0x41, 0x41, flags]
        bytes += [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        bytes += payload
        while bytes.count % 8 != 0 { bytes.append(0) }
        return ref
    }

    /// Integers in the smallest width that holds them, or in one of at least a number of bits.
    package mutating func integers(_ values: [Int64], flags: UInt8 = 0, width: Int = 0) -> Int64 {
        let widths = [0, 1, 2, 4, 8, 16, 32, 64]
        let code = widths.firstIndex { bits in
            bits >= width
                && values.allSatisfy { value in
                    if bits < 8 { return value >= 0 && value < 1 << bits }
                    return bits == 64 || value >= -(1 << (bits - 1)) && value < 1 << (bits - 1)
                }
        }!
        return packed(values.map { UInt64(bitPattern: $0) }, code, flags)
    }

    /// Integers without sign, as those of keys and starts.
    package mutating func unsigned(_ values: [UInt64]) -> Int64 {
        let code = values.allSatisfy { $0 < 256 } ? 4 : values.allSatisfy { $0 < 1 << 32 } ? 6 : 7
        return packed(values, code, 0)
    }

    private mutating func packed(_ values: [UInt64], _ code: Int, _ flags: UInt8) -> Int64 {
        let bits = (1 << code) >> 1
        var payload = [UInt8](repeating: 0, count: (values.count * bits + 7) / 8)
        for (index, value) in values.enumerated() {
            if bits < 8 {
                if bits > 0 { payload[index * bits / 8] |= UInt8(value) << UInt8(index * bits % 8) }
            } else {
                for byte in 0..<bits / 8 {
                    payload[index * bits / 8 + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
                }
            }
        }
        return node(flags: flags | UInt8(code), count: values.count, payload)
    }

    package mutating func references(_ values: [Int64], flags: UInt8 = 0) -> Int64 {
        integers(values, flags: flags | FileBuilder.refs, width: 8)
    }

    /// An integer among references.
    package static func tagged(_ value: Int) -> Int64 { Int64(value) << 1 | 1 }

    /// Short strings in cells of 32 bytes.
    package mutating func strings(_ values: [[UInt8]?]) -> Int64 {
        var payload: [UInt8] = []
        for value in values {
            var cell = [UInt8](repeating: 0, count: 32)
            cell.replaceSubrange(0..<(value?.count ?? 0), with: value ?? [])
            cell[31] = value.map { UInt8(31 - $0.count) } ?? 32
            payload += cell
        }
        return node(flags: FileBuilder.inBytes | 6, count: values.count, payload)
    }

    package mutating func strings(_ values: [String?]) -> Int64 {
        strings(values.map { $0.map { Array($0.utf8) } })
    }

    package mutating func blob(_ bytes: [UInt8]) -> Int64 {
        node(flags: FileBuilder.without | 1, count: bytes.count, bytes)
    }

    /// Writes a leaf of values of any type that are null or fit their own number.
    package mutating func mixedIntegers(_ values: [Int64?]) -> Int64 {
        let composites = integers(values.map { $0.map { $0 << 8 | 1 } ?? 0 })
        return references([composites, 0, 0, 0, 0, 0])
    }

    /// A column and what its leaf is in the only cluster of a table.
    package struct Column {
        package var name: String
        package var type: Int
        package var attributes = 0
        package var keyType = 2
        package var target = 0x7FFF_FFFF
        package var oppositeKey: Int64 = 0x7FFF_FFFF_FFFF_FFFF
        package var distinct: Int64 = 0
        /// A number that distinguishes the column from earlier ones in its place.
        package var tag: Int64 = 0

        package init(
            name: String, type: Int, attributes: Int = 0, keyType: Int = 2, target: Int = 0x7FFF_FFFF,
            oppositeKey: Int64 = 0x7FFF_FFFF_FFFF_FFFF, distinct: Int64 = 0
        ) {
            self.name = name
            self.type = type
            self.attributes = attributes
            self.keyType = keyType
            self.target = target
            self.oppositeKey = oppositeKey
            self.distinct = distinct
        }

        /// Returns the column's key, if its leaf has a place in the clusters.
        package func key(at place: Int) -> Int64 {
            Int64(place) | Int64(type) << 16 | Int64(attributes & 0xFF) << 22 | tag << 30
        }
    }

    /// Writes a table whose objects are in a tree.
    ///
    /// - Parameter primaryKey: The place of the primary key among the columns.
    package mutating func table(
        _ columns: [Column], root: Int64, index: Int = 0, isEmbedded: Bool = false, primaryKey: Int? = nil,
        slots: Int = 14
    ) -> Int64 {
        let types = integers(
            columns.map { Int64($0.type | ($0.attributes & 64 != 0 ? $0.keyType << 16 : 0)) })
        let names = strings(columns.filter { $0.type != 14 }.map { $0.name })
        let attributes = integers(columns.map { Int64($0.attributes) })
        let columnKeys = columns.enumerated().map { $1.key(at: $0) }
        let keys = integers(columnKeys)
        let distinct = columns.contains { $0.distinct != 0 } ? references(columns.map(\.distinct)) : 0
        let spec = references([types, names, attributes, 0, distinct, keys])
        let tables = integers(columns.map { Int64($0.target) })
        let opposite = integers(columns.map(\.oppositeKey))
        var indexes: Int64 = 0
        if primaryKey != nil || columns.contains(where: { $0.attributes & 1 != 0 }) {
            // The trees of indexes are never read: they stay empty here.
            let tree = references([])
            indexes = references(
                columns.enumerated().map { $0 == primaryKey || $1.attributes & 1 != 0 ? tree : 0 })
        }
        let top: [Int64] = [
            spec, 0, root, FileBuilder.tagged(index), indexes, 1, 1, tables, opposite, 1, 0,
            primaryKey.map { FileBuilder.tagged(Int(columnKeys[$0])) } ?? 0,
            FileBuilder.tagged(isEmbedded ? 1 : 0), 0,
        ]
        return references(Array(top.prefix(slots)))
    }

    /// Writes objects with the keys 0, 1, 2 and so on.
    package mutating func cluster(count: Int, _ leaves: [Int64]) -> Int64 {
        references([FileBuilder.tagged(count)] + leaves)
    }

    /// Writes objects with keys of their own, in ascending order.
    package mutating func cluster(keys: [Int64], _ leaves: [Int64]) -> Int64 {
        references([unsigned(keys.map { UInt64($0) })] + leaves)
    }

    /// Ends the file: as one that was committed once or, front to back, with its top at the end.
    package consuming func finish(_ tables: [(name: String, ref: Int64)], streaming: Bool = false) -> [UInt8]
    {
        let names = strings(tables.map { $0.name })
        let refs = references(tables.map(\.ref))
        // A number of this size takes 32 bits, as does the real one.
        let place = bytes.count
        _ = integers(
            [names, refs, 0x7FFF_FFFF, 0, 0, 0, FileBuilder.tagged(2)], flags: FileBuilder.refs, width: 32)
        var result = bytes
        if streaming { result += FileBuilder.word(UInt64(place)) + FileBuilder.word(0x3034_1252_37E5_26C8) }
        result.replaceSubrange(
            place + 16..<place + 20, with: FileBuilder.word(UInt64(result.count) << 1 | 1).prefix(4))
        result.replaceSubrange(0..<8, with: FileBuilder.word(streaming ? .max : UInt64(place)))
        result.replaceSubrange(16..<24, with: [0x54, 0x2D, 0x44, 0x42, version, version, 0, 0])
        return result
    }

    package static func word(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }
}

extension FileBuilder {
    /// A file with one class `Thing` and one object, which has one property `value`.
    package static func oneValue(
        version: UInt8 = 24, type: Int, attributes: Int = 0, _ leaf: (inout FileBuilder) -> Int64
    ) -> [UInt8] {
        var builder = FileBuilder(version: version)
        let leaf = leaf(&builder)
        let cluster = builder.cluster(count: 1, [leaf])
        let column = Column(
            name: "value", type: type, attributes: attributes,
            target: type == 12 || type == 13 ? 0 : 0x7FFF_FFFF)
        let table = builder.table([column], root: cluster, slots: version < 20 ? 12 : 14)
        return builder.finish([("class_Thing", table)])
    }
}
