import KivoEngine

/// A regular expression that matches whole strings by Unicode scalars, in time linear in the string.
///
/// The language is that of `Regex(_:)` with `matchingSemantics(.unicodeScalar)`, without the constructs that a finite automaton
/// cannot express: backreferences, lookaround, atomic groups, possessive quantifiers, conditionals and recursion throw.
///
/// Differences from `Regex`:
/// - `\b` and `\B` are the boundaries between `\w` and `\W`. `Regex` uses the word segmentation of Unicode, by which `can't` has
///   no boundary inside and `!!` has one.
/// - A class contains the same scalars everywhere. In `Regex` a scalar that follows, or an optimization, changes some of them.
/// - Ignoring case compares lowercase mappings, in classes as in literals: `[k]` matches the Kelvin sign, as `k` does.
struct Pattern: Sendable {
    /// An automaton, which is created when the slot is first used.
    private final class Slot: Sendable {
        let automaton = Lock<PatternAutomaton?>(nil)
    }

    private let program: PatternProgram
    /// The number of cells in the table of each automaton.
    private let capacity: Int
    /// Several automata, so that threads do not wait for each other. One thread alone only uses the first one.
    private let slots = (0..<8).map { _ in Slot() }

    /// Compiles a pattern. Throws if it is malformed or too large, or has an unsupported construct.
    init(
        _ text: String, ignoringCase: Bool = false, capacity: Int = PatternAutomaton.defaultCapacity
    ) throws(PatternError) {
        program = try PatternProgram(text, ignoringCase: ignoringCase)
        self.capacity = capacity
    }

    /// Whether the pattern matches all of a string. The bytes must be valid UTF-8.
    func matches(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        for slot in slots {
            if let answer = slot.automaton.withLockIfAvailable({ matches(utf8, &$0) }) { return answer }
        }
        return slots.randomElement()!.automaton.withLock { matches(utf8, &$0) }
    }

    /// Whether the pattern matches all of a string.
    func matches(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { matches($0) }
    }

    private func matches(_ utf8: UnsafeBufferPointer<UInt8>, _ automaton: inout PatternAutomaton?) -> Bool {
        if automaton == nil { automaton = PatternAutomaton(program, capacity: capacity) }
        return automaton!.matches(utf8)
    }
}
