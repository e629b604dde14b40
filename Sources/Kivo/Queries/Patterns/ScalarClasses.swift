/// The partition of all scalars into the classes that a pattern distinguishes.
///
/// Two scalars are in one class if every set of the pattern contains both or neither. A table of transitions then needs one
/// column for each class. Class 0 is the end of the string.
struct ScalarClasses: Sendable {
    /// The largest number of boundaries of all sets together. The one of `\w` has about 1,500.
    static let maximumBoundaries = 1 << 18

    /// The ascending scalars at which the class changes, and the class from each on.
    private var boundaries: [UInt32] = []
    private var classesFromBoundary: [UInt32] = [1]
    /// The class of each scalar of at most two bytes in UTF-8, because a table costs less than a search.
    private(set) var short: [UInt32] = []
    /// A member of each class; for class 0 no scalar.
    private(set) var representatives: [UInt32] = [ScalarSet.end]
    /// The facts about each class that assertions read.
    private(set) var contexts: [PatternContext] = [.end]

    var count: Int { representatives.count }

    init() {}

    /// Creates the partition by sets, and by the facts that assertions read.
    ///
    /// Each set has a random number. The exclusive or of the numbers of the sets that contain a scalar identifies its class, so
    /// that the boundaries are visited once. Two classes share 128 random bits less often than hardware fails.
    init(_ sets: [ScalarSet], _ facts: PatternContext) throws(PatternError) {
        var events: [(scalar: UInt32, number: UInt128)] = []
        let factSets = PatternContext.sets.filter { !facts.isDisjoint(with: $0.0) }
        for set in sets + factSets.map(\.1) {
            let number = UInt128.random(in: .min ... .max)
            events += set.boundaries.map { ($0, number) }
            guard events.count <= Self.maximumBoundaries else {
                throw PatternError(
                    reason: "the pattern has too many different character classes", position: 0)
            }
        }
        events.sort { $0.scalar < $1.scalar }
        var identity: UInt128 = 0
        var classes: [UInt128: UInt32] = [:]
        var index = 0
        var scalar: UInt32 = 0
        while true {
            while index < events.count, events[index].scalar == scalar {
                identity ^= events[index].number
                index += 1
            }
            let known = classes[identity]
            if known == nil {
                classes[identity] = UInt32(count)
                representatives.append(scalar)
                contexts.append(
                    factSets.reduce(into: []) { if $1.1.contains(scalar) { $0.formUnion($1.0) } })
            }
            let found = known ?? UInt32(count - 1)
            while short.count < min(Int(scalar), 0x800) { short.append(classesFromBoundary.last!) }
            if scalar == 0 {
                classesFromBoundary = [found]
            } else {
                boundaries.append(scalar)
                classesFromBoundary.append(found)
            }
            guard index < events.count else { break }
            scalar = events[index].scalar
        }
        while short.count < 0x800 { short.append(classesFromBoundary.last!) }
    }

    /// The class of a scalar. O(log n)
    subscript(scalar: UInt32) -> UInt32 {
        classesFromBoundary[boundaries.partitionPoint { $0 > scalar }]
    }
}
