/// Why a predicate's format, or what was given with it, cannot be understood, and where.
struct PredicateSyntaxError: Error, Equatable, CustomStringConvertible {
    enum Problem: Equatable {
        /// Something has to be at a place where something else is.
        case unexpected(expected: String, found: String)
        /// What is there cannot be used, in a sentence.
        case refused(String)
    }

    /// The predicate as it was written.
    let format: String
    /// The offset of the place in ``format``, in characters.
    let position: Int
    let problem: Problem

    /// An error at a place that is counted in Unicode scalars, in which the format is read: a quotation mark
    /// and an accent behind it are one character, but not one sign.
    init(_ problem: Problem, atScalar offset: Int, of format: String) {
        self.format = format
        self.problem = problem
        position = String(format.unicodeScalars.prefix(offset)).count
    }

    var expected: String? {
        guard case .unexpected(let expected, _) = problem else { return nil }
        return expected
    }

    var found: String? {
        guard case .unexpected(_, let found) = problem else { return nil }
        return found
    }

    /// The problem in a sentence, and below it the format with a mark under the place.
    var description: String {
        let sentence =
            switch problem {
            case .unexpected(let expected, let found):
                "Expected \(expected) at position \(position), found \(found):"
            case .refused(let reason): "\(reason), at position \(position):"
            }
        return sentence + excerpt
    }

    /// The surroundings of the place, on one line even if the format has several.
    private var excerpt: String {
        let reach = 60
        let characters = format.map { $0.isWhitespace ? " " : $0 }
        let start = max(0, position - reach)
        let end = min(characters.count, position + reach)
        let before = start > 0 ? "..." : ""
        let after = end < characters.count ? "..." : ""
        let indentation = String(repeating: " ", count: before.count + position - start)
        return "\n    \(before)\(String(characters[start..<end]))\(after)\n    \(indentation)^"
    }
}
