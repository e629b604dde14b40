import Foundation

@testable import KivoEngine

/// Random numbers that are the same for the same seed. A process prints its seed once; `KIVO_TEST_SEED=n` repeats its
/// tests, with `SWIFT_DETERMINISTIC_HASHING=1` down to the shape of the indexes of strings.
struct TestRandom: RandomNumberGenerator {
    private var state: UInt64
    let pool = ValuePool()

    /// What the generators of this process start from.
    private static let seed: UInt64 = {
        let wished = ProcessInfo.processInfo.environment["KIVO_TEST_SEED"].flatMap(UInt64.init)
        if let wished { return wished }
        let seed = UInt64.random(in: 0...UInt64.max)
        // Standard error is not buffered: the seed is seen even if a test traps.
        FileHandle.standardError.write(Data("KivoEngineTests: KIVO_TEST_SEED=\(seed)\n".utf8))
        return seed
    }()

    /// A generator whose numbers depend on its name, too.
    init(_ name: String = #function) {
        state = name.utf8.reduce(Self.seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func string() -> String { pool.string(&self) }

    mutating func bytes() -> [UInt8] { pool.bytes(&self) }

    /// An element, from few different ones.
    mutating func element(_ kind: ElementKind) -> Cell {
        switch kind {
        case .word: .word(word())
        case .optionalWord: chance(20) ? .null : .word(word())
        case .wide: .wide(word(), word())
        case .optionalWide: chance(20) ? .null : .wide(word(), word())
        case .string: chance(10) ? .null : .string(string())
        case .bytes: chance(10) ? .null : .bytes(bytes())
        case .link: .link(ObjectKey(below(30)))
        case .any: anyValue()
        }
    }

    /// A value of any type that is no link.
    private mutating func anyValue() -> Cell {
        switch below(7) {
        case 0: .null
        case 1: .typedWord(word(), .int)
        case 2: .typedWord((Double(below(40)) / 2).bitPattern, .double)
        case 3: .typedWide(word(), word(), .uuid)
        case 4: .bytes(bytes())
        default: .string(string())
        }
    }

    /// The value of a column that is no link.
    mutating func value(_ column: ColumnSpec) -> Cell {
        if column.isOptional, chance(25) { return .null }
        return switch column.kind {
        case .wide: .wide(word(), word())
        case .string: .string(string())
        case .bytes: .bytes(bytes())
        default: .word(word())
        }
    }

    private mutating func word() -> UInt64 { UInt64(bitPattern: Int64(below(40) - 10)) }
}
