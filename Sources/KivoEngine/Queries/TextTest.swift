/// A comparison of strings, or of bytes, beyond their order. Without folding it compares byte by byte.
///
/// Nothing contains an empty text, begins or ends with it, as in `NSPredicate`: a search field before its first letter finds nothing.
@usableFromInline package struct TextTest: Sendable {
    /// The operator of a comparison of two strings.
    @usableFromInline package enum Operator: Sendable, Equatable {
        /// A comparison of the bytes.
        case order(ComparisonOperator)
        case begins, ends, contains
        /// A pattern: `?` matches one character and `*` any number of them. A backslash makes the next character literal.
        case like
    }

    /// A rule that maps strings to equal ones if they count as equal.
    @usableFromInline package struct Folding: Sendable {
        /// The result for a string of ASCII.
        @usableFromInline package enum ASCII: Sendable { case unchanged, lowercase }

        let ascii: ASCII
        private let rule: @Sendable (String) -> String

        /// Creates a rule. The closure of the calling layer maps strings that are not all ASCII.
        @usableFromInline package init(ascii: ASCII, others rule: @escaping @Sendable (String) -> String) {
            self.ascii = ascii
            self.rule = rule
        }

        /// Returns the string to which a string is mapped.
        @usableFromInline package func callAsFunction(_ string: String) -> String {
            if !string.utf8.allSatisfy({ $0 < 0x80 }) { return rule(string) }
            return ascii == .lowercase ? string.lowercased() : string
        }

        /// Returns the bytes to which the bytes of a text are mapped. Of bytes that are not UTF-8, only ASCII letters are mapped.
        func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
            if let text = String(validating: bytes, as: UTF8.self) { return Array(self(text).utf8) }
            guard ascii == .lowercase else { return bytes }
            return bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        }
    }

    /// The operator of the comparison.
    @usableFromInline package let `operator`: Operator
    let folding: Folding?
    /// Whether the needle is a string, so that the comparison is false for all bytes.
    let isString: Bool
    /// The bytes, folded.
    let needle: [UInt8]
    /// The search for the bytes, if the operator is `contains`.
    private let search: ByteSearch?
    /// The pattern, folded; empty for other operators.
    let pattern: [PatternElement]
    /// The pattern for bytes; nil for strings and for other operators.
    private let kernel: PatternKernel?

    enum PatternElement: Equatable {
        case scalar(Unicode.Scalar)
        case one
        case any
    }

    /// Creates a comparison with a string.
    @usableFromInline package init(_ operator: Operator, _ text: String, folding: Folding? = nil) {
        self.operator = `operator`
        self.folding = folding
        isString = true
        let folded = folding?(text) ?? text
        needle = Array(folded.utf8)
        search = `operator` == .contains ? ByteSearch(needle) : nil
        pattern = `operator` == .like ? TextTest.pattern(folded.unicodeScalars) : []
        kernel = nil
    }

    /// Creates a comparison with bytes. A pattern and a folding take bytes for UTF-8.
    @usableFromInline package init(_ operator: Operator, _ bytes: [UInt8], folding: Folding? = nil) {
        self.operator = `operator`
        self.folding = folding
        isString = false
        needle = folding?(bytes) ?? bytes
        search = `operator` == .contains ? ByteSearch(needle) : nil
        pattern = `operator` == .like ? TextTest.pattern(needle.map { Unicode.Scalar($0) }) : []
        kernel = `operator` == .like ? PatternKernel(pattern) { [UInt8($0.value)] } : nil
    }

    private static func pattern(_ scalars: some Sequence<Unicode.Scalar>) -> [PatternElement] {
        var pattern: [PatternElement] = []
        var isEscaped = false
        for scalar in scalars {
            switch scalar {
            case "\\" where !isEscaped: isEscaped = true
            case "?" where !isEscaped: pattern.append(.one)
            case "*" where !isEscaped:
                if pattern.last != .any { pattern.append(.any) }
            default:
                pattern.append(.scalar(scalar))
                isEscaped = false
            }
        }
        return pattern
    }

    /// Whether the comparison holds for a string, or for null, which differs from every string.
    func holds(_ cell: Cell) -> Bool {
        if case .bytes(let bytes) = cell, !isString {
            return (folding?(bytes) ?? bytes).withUnsafeBufferPointer { holds($0) }
        }
        guard case .string(var string) = cell, isString else { return `operator` == .order(.notEqual) }
        if `operator` == .like { return matches(TextTest.Characters(string, folding)) }
        if let folding { string = folding(string) }
        return string.withUTF8 { holds($0) }
    }

    private func holds(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch `operator` {
        case .order(.equal): bytes.elementsEqual(needle)
        case .order(.notEqual): !bytes.elementsEqual(needle)
        case .order(.less): bytes.lexicographicallyPrecedes(needle)
        case .order(.lessOrEqual): !needle.lexicographicallyPrecedes(bytes)
        case .order(.greater): needle.lexicographicallyPrecedes(bytes)
        case .order(.greaterOrEqual): !bytes.lexicographicallyPrecedes(needle)
        case .begins: !needle.isEmpty && bytes.starts(with: needle)
        case .ends:
            !needle.isEmpty && bytes.count >= needle.count
                && bytes.suffix(needle.count).elementsEqual(needle)
        case .contains: !needle.isEmpty && search!.succeeds(in: bytes)
        case .like: kernel!.holds(bytes)
        }
    }

    /// Matches by backtracking to the last `*` on a mismatch. This is linear for a single `*` and at worst the product of the
    /// lengths.
    private func matches(_ text: Characters) -> Bool {
        let scalars = text.scalars
        var (position, element) = (0, 0)
        var retry: (position: Int, element: Int)?
        while position < scalars.count {
            if element < pattern.count {
                switch pattern[element] {
                case .any:
                    retry = (position, element + 1)
                    element += 1
                    continue
                case .one:
                    guard let end = text.end(ofCharacterAt: position) else { break }
                    (position, element) = (end, element + 1)
                    continue
                case .scalar(let scalar) where scalar == scalars[position]:
                    (position, element) = (position + 1, element + 1)
                    continue
                default: break
                }
            }
            guard let last = retry else { return false }
            retry = (last.position + 1, last.element)
            (position, element) = (last.position + 1, last.element)
        }
        return pattern[element...].allSatisfy { $0 == .any }
    }
}

extension TextTest {
    /// The scalars of a folded string, with the boundaries of the original characters: folding may turn one into several.
    private struct Characters {
        private(set) var scalars: [Unicode.Scalar]
        /// For each scalar, the end of the character that begins there, or 0 inside a character. Nil if each scalar is a
        /// character.
        private var ends: [Int]?

        init(_ string: String, _ folding: Folding?) {
            let folded = folding?(string) ?? string
            scalars = Array(folded.unicodeScalars)
            guard let folding, scalars.count > string.unicodeScalars.count else { return }
            (scalars, ends) = ([], [])
            for character in string {
                let parts = Self.parts(String(character), folding)
                for part in parts {
                    ends!.append(scalars.count + part.count)
                    ends!.append(contentsOf: repeatElement(0, count: part.count - 1))
                    scalars += part
                }
            }
        }

        /// Returns the folded scalars of a character, by its original scalars; in one part if folding is not separable by
        /// scalars.
        private static func parts(_ character: String, _ folding: Folding) -> [[Unicode.Scalar]] {
            let whole = Array(folding(character).unicodeScalars)
            if whole.count <= character.unicodeScalars.count { return whole.map { [$0] } }
            let parts = character.unicodeScalars.map { Array(folding(String($0)).unicodeScalars) }
            return parts.contains([]) || Array(parts.joined()) != whole ? [whole] : parts
        }

        /// Returns the end of the character that begins at a position, or nil inside a character.
        func end(ofCharacterAt position: Int) -> Int? {
            guard let ends else { return position + 1 }
            return ends[position] == 0 ? nil : ends[position]
        }
    }
}
