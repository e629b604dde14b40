import KivoSourceModel

/// A replacement of some bytes of a source.
struct TextEdit: Hashable {
    var range: Range<Int>
    var text: String
}

/// The edits of one source.
struct SourceEdits {
    let source: SourceText
    private(set) var edits: [TextEdit] = []

    init(_ source: SourceText) { self.source = source }

    mutating func replace(_ range: Range<Int>, with text: String) {
        let edit = TextEdit(range: range, text: text)
        if !edits.contains(edit) { edits.append(edit) }
    }

    mutating func insert(_ text: String, at offset: Int) { replace(offset..<offset, with: text) }

    /// Removes a range, and the blanks after it.
    mutating func removeWithBlanks(_ range: Range<Int>) {
        var end = range.upperBound
        while end < source.bytes.count, [9, 10, 13, 32].contains(source.bytes[end]) { end += 1 }
        replace(range.lowerBound..<end, with: "")
    }

    /// Removes a declaration with its lines, the comment above it, and one of the adjacent empty lines.
    mutating func removeLines(_ range: Range<Int>) {
        var start = source.lineStart(of: range.lowerBound)
        var end = range.upperBound
        while end < source.bytes.count, source.bytes[end] == 32 || source.bytes[end] == 9 { end += 1 }
        let isAlone =
            source.bytes[start..<range.lowerBound].allSatisfy { $0 == 32 || $0 == 9 }
            && (end == source.bytes.count || source.bytes[end] == 10 || source.bytes[end] == 13)
        guard isAlone else {
            removeWithBlanks(range)
            return
        }
        end = min(end + 1, source.bytes.count)
        func line(before start: Int) -> (start: Int, text: String)? {
            guard start > 0 else { return nil }
            let previous = source.lineStart(of: start - 1)
            return (previous, source.text(previous..<start).trimmed)
        }
        while let above = line(before: start), above.text.hasPrefix("//") { start = above.start }
        if let above = line(before: start), above.text.isEmpty { start = above.start }
        replace(start..<end, with: "")
    }

    /// Removes an import with its line, and leaves the comments and the lines around it.
    mutating func removeImport(_ range: Range<Int>) {
        let start = source.lineStart(of: range.lowerBound)
        var end = range.upperBound
        while end < source.bytes.count, source.bytes[end] == 32 || source.bytes[end] == 9 { end += 1 }
        let isAlone = source.text(start..<range.lowerBound).trimmed.isEmpty
        guard isAlone, end == source.bytes.count || source.bytes[end] == 10 || source.bytes[end] == 13 else {
            return removeWithBlanks(range)
        }
        while end < source.bytes.count, source.bytes[end] == 13 || source.bytes[end] == 10 {
            end += 1
            if source.bytes[end - 1] == 10 { break }
        }
        replace(start..<end, with: "")
    }

    /// Returns the source with all edits. If edits overlap, the first one wins.
    func applied() -> String {
        var result: [UInt8] = []
        var position = 0
        for edit in edits.enumerated().sorted(by: {
            ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
                < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
        }).map(\.element) {
            guard edit.range.lowerBound >= position else { continue }
            result += source.bytes[position..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            position = edit.range.upperBound
        }
        result += source.bytes[position...]
        return String(decoding: result, as: UTF8.self)
    }
}

extension String {
    /// The text without blanks at its ends.
    var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
