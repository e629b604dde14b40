/// The text of a source file, in bytes, with its tokens.
///
/// Offsets are in bytes from the beginning, as in the parser's dump.
package final class SourceText: Sendable {
    /// The path for diagnostics.
    package let path: String
    package let bytes: [UInt8]
    /// All tokens, without comments, in the order of their beginnings.
    package let tokens: [Token]
    /// The offset at which each line begins.
    private let lineStarts: [Int]

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        tokens = Lexer.tokens(of: bytes)
        var starts = [0]
        bytes.withUnsafeBufferPointer { bytes in
            for offset in bytes.indices where bytes[offset] == 10 { starts.append(offset + 1) }
        }
        lineStarts = starts
    }

    package convenience init(path: String, _ text: String) {
        self.init(path: path, bytes: Array(text.utf8))
    }

    /// Returns the location of an offset as the compiler counts it: lines and columns from 1, columns in bytes. O(log lines).
    package func location(of offset: Int) -> SourceLocation {
        let line = lineStarts.partition { $0 > offset }
        return SourceLocation(path: path, line: line, column: offset - lineStarts[line - 1] + 1)
    }

    /// Returns the offset at which the line of an offset begins.
    package func lineStart(of offset: Int) -> Int { lineStarts[lineStarts.partition { $0 > offset } - 1] }

    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    package func text(of token: Token) -> String { text(token.range) }

    /// Returns the first token that begins at or after an offset, or the number of tokens if there is none. O(log tokens).
    package func tokenIndex(from offset: Int) -> Int { tokens.partition { $0.start >= offset } }

    /// Returns the token after the one that begins at an offset, or after its interpolations. O(log tokens).
    func tokenIndex(afterTokenAt offset: Int) -> Int {
        let index = tokenIndex(from: offset)
        return index < tokens.count ? tokenIndex(from: tokens[index].end) : index
    }

    /// Whether a token has exactly this text.
    package func matches(_ index: Int, _ text: StaticString) -> Bool {
        guard index >= 0, index < tokens.count else { return false }
        let token = tokens[index]
        let length = token.end - token.start
        guard length == text.utf8CodeUnitCount else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            for offset in 0..<length where bytes[token.start + offset] != text.utf8Start[offset] {
                return false
            }
            return true
        }
    }

    /// Returns the name of an identifier token: its text without the backticks.
    package func name(of token: Token) -> String {
        bytes[token.start] == 0x60
            ? text(token.start + 1..<max(token.start + 1, token.end - 1)) : text(of: token)
    }

    /// Returns the token after the bracket that closes the one at an index, or the end if it is never closed.
    package func index(afterBracketAt index: Int) -> Int {
        var depth = 0
        var index = index
        while index < tokens.count {
            switch tokens[index].kind {
            case .opening: depth += 1
            case .closing:
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return index
    }
}

/// A location in a source file: lines and columns from 1, columns in bytes.
package struct SourceLocation: Hashable, Sendable, Comparable {
    package var path: String
    package var line: Int
    package var column: Int

    package init(path: String, line: Int, column: Int) {
        self.path = path
        self.line = line
        self.column = column
    }

    package static func < (a: Self, b: Self) -> Bool {
        (a.path, a.line, a.column) < (b.path, b.line, b.column)
    }
}

extension Array {
    /// Returns the number of elements before the first one that meets a condition. All following elements must meet it, too.
    func partition(_ condition: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
