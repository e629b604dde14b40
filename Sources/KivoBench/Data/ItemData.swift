/// A writer of `.realm` files with items, in the layout that the engine uses for a table that was filled without gaps.
struct ItemFile {
    private static let refs: UInt8 = 0x40
    private static let inner: UInt8 = 0x80
    private static let inBytes: UInt8 = 0x08

    private var bytes = [UInt8](repeating: 0, count: 24)

    /// Returns the bytes of a file with that many items.
    static func bytes(_ count: Int) -> [UInt8] {
        var file = ItemFile()
        file.bytes.reserveCapacity(count * 40 + 4096)
        return file.write(count)
    }

    /// Returns the bytes of a file that is at least that large, with several tables of that many items each.
    static func bytes(_ count: Int, atLeast size: Int) -> [UInt8] {
        var file = ItemFile()
        let table = file.writeTable(count)
        let first = file.bytes.count
        let copies = max(1, (size - 1) / (first - 24) + 1)
        file.bytes.reserveCapacity(copies * (first - 24) + 4096)
        for copy in 1..<copies {
            file.appendCopy(of: 24..<first, by: copy * (first - 24))
            // The fourth part of a table is its position in the file.
            let offset = table + copy * (first - 24) + 8 + 3 * 4
            file.bytes.withUnsafeMutableBytes {
                $0.storeBytes(of: UInt32(copy << 1 | 1), toByteOffset: offset, as: UInt32.self)
            }
        }
        return file.finish((0..<copies).map { table + $0 * (first - 24) })
    }

    private mutating func write(_ count: Int) -> [UInt8] {
        let table = writeTable(count)
        return finish([table])
    }

    /// Appends a copy of nodes, whose references lead to the copied nodes.
    private mutating func appendCopy(of nodes: Range<Int>, by distance: Int) {
        var offset = nodes.lowerBound
        while offset < nodes.upperBound {
            let flags = bytes[offset + 4]
            let count = Int(bytes[offset + 5]) << 16 | Int(bytes[offset + 6]) << 8 | Int(bytes[offset + 7])
            let width = (1 << Int(flags & 7)) >> 1
            let size = flags & 0x18 == 0 ? (count * width + 7) / 8 : count * width
            let end = offset + 8 + (size + 7) / 8 * 8
            let start = bytes.count
            // A separate array: appending a slice of the bytes themselves would copy all of them.
            let node = Array(bytes[offset..<end])
            bytes += node
            if flags & ItemFile.refs != 0 {
                bytes.withUnsafeMutableBytes { bytes in
                    for offset in stride(from: start + 8, to: start + 8 + size, by: 4) {
                        let word = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                        if word == 0 || word & 1 == 1 { continue }
                        bytes.storeBytes(of: UInt32(word + distance), toByteOffset: offset, as: UInt32.self)
                    }
                }
            }
            offset = end
        }
    }

    private mutating func writeTable(_ count: Int) -> Int {
        var nodes: [(ref: Int, count: Int)] = []
        for start in stride(from: 0, to: count, by: 256) {
            let range = start..<min(start + 256, count)
            nodes.append((cluster(range), range.count))
        }
        var depth = 0
        while nodes.count > 1 {
            depth += 1
            var upper: [(ref: Int, count: Int)] = []
            for start in stride(from: 0, to: nodes.count, by: 256) {
                let children = nodes[start..<min(start + 256, nodes.count)]
                let total = children.reduce(0) { $0 + $1.count }
                let words = [0, depth << 1 | 1, total << 1 | 1] + children.map(\.ref)
                upper.append((integers(words, 6, flags: ItemFile.refs | ItemFile.inner), total))
            }
            nodes = upper
        }
        return table(root: nodes.first?.ref ?? cluster(0..<0))
    }

    private mutating func cluster(_ range: Range<Int>) -> Int {
        let values = integers(range.map(ItemData.value), 7)
        let names = names(range.map(ItemData.name))
        let scores = node(ItemFile.inBytes | 4, range.count) {
            for index in range { $0.append(word: ItemData.score(index).bitPattern, byteCount: 8) }
        }
        return integers([range.count << 1 | 1, values, names, scores], 6, flags: ItemFile.refs)
    }

    private mutating func table(root: Int) -> Int {
        // The engine's codes of integers, strings and doubles.
        let types = [0, 2, 10]
        let typeNode = integers(types, 4)
        let nameNode = names(["value", "name", "score"])
        let attributes = integers([0, 0, 0], 4)
        let keys = integers(types.enumerated().map { $0 | $1 << 16 }, 7)
        let spec = integers([typeNode, nameNode, attributes, 0, 0, keys], 6, flags: ItemFile.refs)
        let targets = integers([0x7FFF_FFFF, 0x7FFF_FFFF, 0x7FFF_FFFF], 7)
        let opposite = integers([.max, .max, .max], 7)
        return integers(
            [spec, 0, root, 1, 0, 1, 1, targets, opposite, 1, 0, 0, 1, 0], 6, flags: ItemFile.refs)
    }

    private mutating func finish(_ tables: [Int]) -> [UInt8] {
        let tableNames = names(tables.indices.map { $0 == 0 ? "class_Item" : "class_Item\($0)" })
        let tables = integers(tables, 6, flags: ItemFile.refs)
        let top = bytes.count
        let size = top + 8 + 3 * 8
        _ = integers([tableNames, tables, size << 1 | 1], 7, flags: ItemFile.refs)
        var header: [UInt8] = []
        header.append(word: UInt64(top), byteCount: 16)
        header += Array("T-DB".utf8) + [24, 24, 0, 0]
        bytes.replaceSubrange(0..<24, with: header)
        return bytes
    }

    // MARK: Nodes

    /// Writes a node and returns its offset.
    private mutating func node(_ flags: UInt8, _ count: Int, _ body: (inout [UInt8]) -> Void) -> Int {
        let ref = bytes.count
        bytes += [0x41, 0x41, 0x41, 0x41, flags]
        bytes += [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        body(&bytes)
        while bytes.count % 8 != 0 { bytes.append(0) }
        return ref
    }

    /// Writes integers of 8 bits (code 4) to 64 bits (code 7).
    private mutating func integers(_ values: [Int], _ code: UInt8, flags: UInt8 = 0) -> Int {
        node(flags | code, values.count) {
            for value in values {
                $0.append(word: UInt64(bitPattern: Int64(value)), byteCount: 1 << (Int(code) - 4))
            }
        }
    }

    /// Writes texts of up to 15 bytes.
    private mutating func names(_ texts: [String]) -> Int {
        node(ItemFile.inBytes | 5, texts.count) {
            for text in texts {
                $0 += text.utf8
                $0 += [UInt8](repeating: 0, count: 15 - text.utf8.count)
                $0.append(UInt8(15 - text.utf8.count))
            }
        }
    }
}

extension [UInt8] {
    /// Appends the low bytes of a number in little-endian order, and zeros after the eighth byte.
    fileprivate mutating func append(word: UInt64, byteCount: Int) {
        for byte in 0..<byteCount {
            append(byte < 8 ? UInt8(truncatingIfNeeded: word >> UInt64(8 * byte)) : 0)
        }
    }
}

/// The contents of the items by index, the same in every run.
enum ItemData {
    /// The number of possible values, from 0.
    static let values = 1_000_000
    /// The middle of the values: half of the items have greater ones.
    static let median = 500_000

    private static let seed: UInt64 = 0x4B69_766F

    static func value(_ index: Int) -> Int {
        var generator = SplitMix64(state: seed &+ UInt64(index) &* 0x2545_F491_4F6C_DD1D)
        return generator.value()
    }

    /// Returns 8 to 12 ASCII bytes: random letters, then the index in base 36, which makes the name unique.
    static func name(_ index: Int) -> String {
        let digits = 4
        let length = 8 + index % 5
        return String(unsafeUninitializedCapacity: length) { bytes in
            var generator = SplitMix64(state: ~seed &+ UInt64(index))
            var letters = generator.next()
            for position in 0..<(length - digits) {
                bytes[position] = UInt8(ascii: "a") + UInt8(letters & 15)
                letters >>= 4
            }
            var number = index
            for position in ((length - digits)..<length).reversed() {
                let digit = UInt8(number % 36)
                bytes[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                number /= 36
            }
            return length
        }
    }

    static func score(_ index: Int) -> Double { Double(index) * 0.5 }

    /// Returns the four numbers of an owner.
    static func numbers(_ owner: Int) -> [Int] { (0..<4).map { value(4 * owner + $0) } }

    /// Returns the item to which an owner links, among as many items as owners. The factor and the counts have no common divisor:
    /// so each item is linked once.
    static func linked(_ owner: Int, _ count: Int) -> Int { owner * 7_919 % count }

    /// How primary keys follow each other.
    enum KeyOrder: Int, CaseIterable {
        /// Over all integers, in no order.
        case scattered
        /// From 0 on.
        case counted
        /// Ascending, with gaps of different sizes.
        case gaps

        /// Returns a unique key.
        func key(_ index: Int) -> Int {
            switch self {
            case .scattered: Int(bitPattern: UInt(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15)
            case .counted: index
            case .gaps: index * 1000 + ItemData.value(index) & 511
            }
        }
    }
}

/// A small, fast generator whose sequence depends only on its seed.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(state: UInt64) { self.state = state }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a value for an item.
    mutating func value() -> Int { below(ItemData.values) }

    /// Returns a value for an item that differs from the present one.
    mutating func value(in values: Range<Int>, except present: Int) -> Int {
        while true {
            let value = values.lowerBound + below(values.count)
            if value != present { return value }
        }
    }

    /// Returns a number in 0 ..< `bound`.
    mutating func below(_ bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(bound)).high) }

    /// Returns `count` different numbers in 0 ..< `bound`, ascending.
    mutating func distinct(_ count: Int, below bound: Int) -> [Int] {
        expect(count <= bound, "\(count) different numbers below \(bound) do not exist")
        var chosen: Set<Int> = []
        while chosen.count < count { chosen.insert(below(bound)) }
        return chosen.sorted()
    }
}
