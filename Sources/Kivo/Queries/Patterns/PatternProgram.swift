/// A nondeterministic automaton: a compiled pattern.
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        case accept
        /// Reads one scalar of a set.
        case scalar(set: Int, next: Int)
        case split(Int, Int)
        case assertion(PatternAssertion, next: Int)
    }

    static let maximumSize = 20_000

    /// The instructions. The first one accepts, and every other one is compiled before the instructions that lead to it.
    private(set) var instructions: [Instruction] = [.accept]
    private(set) var start = 0
    let sets: [ScalarSet]
    /// The facts that the assertions read.
    private(set) var facts: PatternContext = []
    private(set) var classes = ScalarClasses()

    /// Compiles a pattern. Throws if it is malformed, or if its program would be too large.
    init(_ text: String, ignoringCase: Bool) throws(PatternError) {
        let node: PatternNode
        (node, sets) = try PatternParser.parse(text, ignoringCase: ignoringCase)
        start = try compile(node, before: 0)
        classes = try ScalarClasses(sets, facts)
    }

    private mutating func append(_ instruction: Instruction) throws(PatternError) -> Int {
        guard instructions.count < Self.maximumSize else {
            throw PatternError(
                reason: "the pattern needs more than \(Self.maximumSize) states; use fewer repetitions",
                position: 0)
        }
        instructions.append(instruction)
        return instructions.count - 1
    }

    /// Compiles a node whose matches go on at an instruction. Returns the first instruction.
    ///
    /// Every node except an empty one appends an instruction, so that the limit also bounds the time.
    private mutating func compile(_ node: PatternNode, before next: Int) throws(PatternError) -> Int {
        switch node {
        case .empty: return next
        case .scalar(let set): return try append(.scalar(set: set, next: next))
        case .assertion(let assertion):
            facts.formUnion(assertion.facts)
            return try append(.assertion(assertion, next: next))
        case .sequence(let nodes):
            var first = next
            for node in nodes.reversed() { first = try compile(node, before: first) }
            return first
        case .choice(let nodes):
            var first = try compile(nodes.last!, before: next)
            for node in nodes.dropLast().reversed() {
                first = try append(.split(try compile(node, before: next), first))
            }
            return first
        case .repetition(let node, let minimum, let maximum):
            var first = next
            var copies = minimum
            if let maximum {
                for _ in minimum..<maximum {
                    first = try append(.split(try compile(node, before: first), next))
                }
            } else {
                // The last required copy is also the loop. A copy of its own would double nested repetitions.
                let loop = try append(.split(next, next))
                let body = try compile(node, before: loop)
                instructions[loop] = .split(body, next)
                first = minimum == 0 ? loop : body
                copies = max(0, minimum - 1)
            }
            for _ in 0..<copies { first = try compile(node, before: first) }
            return first
        }
    }
}
