/// An error in the format or the arguments of a predicate, with its position.
struct PredicateSyntaxError: Error, Equatable, CustomStringConvertible {
    enum Problem: Equatable {
        /// A token is missing where another token was found.
        case unexpected(expected: String, found: String)
        /// A token cannot be used, for a reason that is given as a sentence.
        case refused(String)
    }

    /// The predicate as it was written.
    let format: String
    /// The position of the error in ``format``, in characters.
    let position: Int
    let problem: Problem

    /// Creates an error at an offset in Unicode scalars, in which the format is read. A quotation mark and an accent after it are
    /// one character, but two scalars.
    init(_ problem: Problem, atScalar offset: Int, of format: String) {
        self.format = format
        self.problem = problem
        position = String(format.unicodeScalars.prefix(offset)).count
    }

    /// Returns what a closure makes of a predicate. Traps with a message if the predicate is malformed.
    static func trapping<Result>(_ parse: () throws(PredicateSyntaxError) -> Result) -> Result {
        do throws(PredicateSyntaxError) {
            return try parse()
        } catch {
            trap("The predicate is malformed. \(error)")
        }
    }

    var expected: String? {
        guard case .unexpected(let expected, _) = problem else { return nil }
        return expected
    }

    var found: String? {
        guard case .unexpected(_, let found) = problem else { return nil }
        return found
    }

    /// The problem as a sentence, without its position.
    var sentence: String {
        switch problem {
        case .unexpected(let expected, let found): "Expected \(expected), found \(found)."
        case .refused(let reason): "\(reason)."
        }
    }

    /// The problem as a sentence, and below it the format with a mark under the position.
    var description: String {
        let sentence =
            switch problem {
            case .unexpected(let expected, let found):
                "Expected \(expected) at position \(position), found \(found):"
            case .refused(let reason): "\(reason), at position \(position):"
            }
        return sentence + excerpt
    }

    /// The text around the position, on one line even if the format has several.
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
