import TestRandomness

@testable import KivoEngine

/// Random numbers and values, from few different ones.
struct TestRandom: RandomNumberGenerator {
    private var source: RandomSource
    let pool = ValuePool()

    /// A generator of the seed of a name.
    init(_ name: String = #function) { source = RandomSource(name) }

    mutating func next() -> UInt64 { source.next() }

    mutating func below(_ bound: Int) -> Int { source.below(bound) }

    mutating func chance(_ percent: Int) -> Bool { source.chance(percent) }

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

    /// Returns a value of any type except links.
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

    /// Returns a value of a column that is not a link.
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
