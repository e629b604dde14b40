/// A set of Unicode scalars.
///
/// The set is an inversion list: the ascending scalars at which membership changes, beginning outside the set. `[b-dx]` is
/// `[b, e, x, y]`. The complement adds or removes a boundary at 0; every binary operation is one merge.
struct ScalarSet: Hashable, Sendable {
    private(set) var boundaries: [UInt32] = []

    /// The first number that is not a scalar.
    static let end: UInt32 = 0x110000
    static let all = ScalarSet([0...end - 1])

    init() {}

    /// Creates a set from ranges, which may overlap. O(n log n)
    init(_ ranges: [ClosedRange<UInt32>]) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = boundaries.last, range.lowerBound <= last {
                boundaries[boundaries.count - 1] = max(last, range.upperBound + 1)
            } else {
                boundaries += [range.lowerBound, range.upperBound + 1]
            }
        }
        if boundaries.last == Self.end { boundaries.removeLast() }
    }

    /// Creates the set of the scalars that satisfy a predicate.
    ///
    /// Above the ideographic extensions, planes consist of noncharacters and of scalars with the same properties, except for the
    /// tags. One predicate call for each such run makes this five times as fast as a call for every scalar.
    init(where predicate: (Unicode.Scalar) -> Bool) {
        var value: UInt32 = 0
        var isMember = false
        while value < Self.end {
            if (Unicode.Scalar(value).map(predicate) ?? false) != isMember {
                boundaries.append(value)
                isMember.toggle()
            }
            if value < 0x34000 || value >> 12 == 0xE0 {
                value += 1
            } else if value & 0xFFFE == 0xFFFE {
                value = (value | 0xFFFF) + 1
            } else {
                value = (value | 0xFFFF) - 1
            }
        }
    }

    var complement: ScalarSet {
        var result = self
        if boundaries.first == 0 {
            result.boundaries.removeFirst()
        } else {
            result.boundaries.insert(0, at: 0)
        }
        return result
    }

    /// The members as ascending ranges that do not touch.
    var ranges: [ClosedRange<UInt32>] {
        stride(from: 0, to: boundaries.count, by: 2).map { index in
            boundaries[index]...(index + 1 < boundaries.count ? boundaries[index + 1] : Self.end) - 1
        }
    }

    /// Whether a scalar is a member. O(log n)
    func contains(_ scalar: UInt32) -> Bool {
        !boundaries.partitionPoint { $0 > scalar }.isMultiple(of: 2)
    }

    /// Returns the scalars whose membership in two sets satisfies a rule, which must be false for two nonmembers. O(n)
    func merged(with other: ScalarSet, _ rule: (Bool, Bool) -> Bool) -> ScalarSet {
        var result = ScalarSet()
        var (left, right) = (0, 0)
        while left < boundaries.count || right < other.boundaries.count {
            let next = min(
                left < boundaries.count ? boundaries[left] : Self.end,
                right < other.boundaries.count ? other.boundaries[right] : Self.end)
            if left < boundaries.count, boundaries[left] == next { left += 1 }
            if right < other.boundaries.count, other.boundaries[right] == next { right += 1 }
            let isMember = rule(!left.isMultiple(of: 2), !right.isMultiple(of: 2))
            if isMember == result.boundaries.count.isMultiple(of: 2) { result.boundaries.append(next) }
        }
        return result
    }

    func union(_ other: ScalarSet) -> ScalarSet { merged(with: other) { $0 || $1 } }
    func intersection(_ other: ScalarSet) -> ScalarSet { merged(with: other) { $0 && $1 } }
    func subtracting(_ other: ScalarSet) -> ScalarSet { merged(with: other) { $0 && !$1 } }
    func symmetricDifference(_ other: ScalarSet) -> ScalarSet { merged(with: other) { $0 != $1 } }
}

extension [UInt32] {
    /// Returns the first index of an ascending array whose element satisfies a predicate. All later elements must satisfy it.
    /// O(log n)
    func partitionPoint(_ predicate: (UInt32) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Case folding.
extension ScalarSet {
    /// The pairs of different scalars with the same lowercase mapping, in ascending order: the scalars, and the other ones.
    ///
    /// Mappings are compared as in `Regex`, by canonical equivalence.
    private static let caseVariants: (scalars: [UInt32], variants: [UInt32]) = {
        var groups: [String: [UInt32]] = [:]
        // No scalar from here on has case.
        for value in 0..<UInt32(0x1F000) {
            guard let scalar = Unicode.Scalar(value), scalar.properties.isCased else { continue }
            groups[scalar.properties.lowercaseMapping, default: []].append(value)
        }
        var pairs: [(UInt32, UInt32)] = []
        for group in groups.values {
            for scalar in group { pairs += group.filter { $0 != scalar }.map { (scalar, $0) } }
        }
        pairs.sort { $0 < $1 }
        return (pairs.map(\.0), pairs.map(\.1))
    }()

    /// The set with every scalar whose lowercase mapping equals that of a member.
    var foldingCase: ScalarSet {
        let (scalars, variants) = Self.caseVariants
        var folded = ranges
        for range in ranges {
            var index = scalars.partitionPoint { $0 >= range.lowerBound }
            while index < scalars.count, scalars[index] <= range.upperBound {
                if !range.contains(variants[index]) { folded.append(variants[index]...variants[index]) }
                index += 1
            }
        }
        return ScalarSet(folded)
    }
}
