/// The `#if` blocks of a source. The parser's dump leaves them out, whatever their conditions. Therefore the directives are
/// blanked before parsing: the parser then reads the code of all branches, at its original offsets.
package struct ConditionalBlocks: Sendable {
    /// A branch: the range between two directives, and its condition with those of the enclosing branches.
    struct Branch {
        var range: Range<Int>
        /// The conditions from the outermost block inwards, in the form that follows `#if`.
        var conditions: [String]
    }

    private(set) var branches: [Branch] = []
    /// The ranges of directives, to the ends of their lines.
    private(set) var directives: [Range<Int>] = []

    package var isEmpty: Bool { directives.isEmpty }

    init(_ source: SourceText) {
        /// An open block: the conditions of its earlier branches, and that of the current branch, if it has one.
        struct Block {
            var earlier: [String] = []
            var own: String?
            var start: Int

            var condition: String {
                let negated = earlier.map { "!(\($0))" }
                guard let own else { return negated.joined(separator: " && ") }
                return negated.isEmpty ? own : (negated + ["(\(own))"]).joined(separator: " && ")
            }
        }
        var open: [Block] = []
        func close(_ block: Block, at end: Int) {
            branches.append(
                Branch(range: block.start..<end, conditions: open.map(\.condition) + [block.condition]))
        }
        for (index, token) in source.tokens.enumerated() where token.kind == .pound {
            let isIf = source.matches(index, "#if")
            let isElseIf = source.matches(index, "#elseif")
            let isElse = source.matches(index, "#else")
            guard isIf || isElseIf || isElse || source.matches(index, "#endif") else { continue }
            var last = index
            while last + 1 < source.tokens.count, !source.tokens[last + 1].isFirstOfLine { last += 1 }
            let end = source.tokens[last].end
            directives.append(token.start..<end)
            let condition = last > index ? source.text(source.tokens[index + 1].start..<end) : "true"
            if isIf {
                open.append(Block(own: condition, start: end))
                continue
            }
            guard var block = open.popLast() else { continue }
            close(block, at: token.start)
            guard isElseIf || isElse else { continue }
            if let own = block.own { block.earlier.append(own) }
            block.own = isElse ? nil : condition
            block.start = end
            open.append(block)
        }
        branches.sort { $0.conditions.count > $1.conditions.count }
    }

    /// Returns the conditions around an offset, from the outermost inwards.
    package func conditions(at offset: Int) -> [String] {
        branches.first { $0.range.contains(offset) }?.conditions ?? []
    }

    /// Returns the source with blanks in place of the directives.
    func blanked(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for range in directives {
            for offset in range where bytes[offset] != 10 && bytes[offset] != 13 { bytes[offset] = 32 }
        }
        return bytes
    }
}
