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

    /// Returns a unique key. Keys are scattered over all integers.
    static func key(_ index: Int) -> Int {
        Int(bitPattern: UInt(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15)
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
