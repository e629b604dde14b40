import Foundation
import KivoEngine

/// The label and the author that a program gives a commit.
package struct CommitLabel: Hashable, Sendable {
    /// A short description of the change, for people; nil if it has none.
    package var label: String?
    /// The part of the program, or the person, that made the change; nil if it is not stated.
    package var author: String?

    /// Creates a label; without arguments, one that says nothing.
    package init(_ label: String? = nil, author: String? = nil) {
        (self.label, self.author) = (label, author)
    }

    /// A Boolean value that indicates whether there is neither a label nor an author.
    package var isEmpty: Bool { label == nil && author == nil }

    /// Combines the labels of transactions that are stored as one commit: each different one once, in order.
    package init(composing labels: [CommitLabel]) {
        func joined(_ texts: [String?]) -> String? {
            var seen: Set<String> = []
            let different = texts.compactMap { $0 }.filter { seen.insert($0).inserted }
            return different.isEmpty ? nil : different.joined(separator: ", ")
        }
        self.init(joined(labels.map(\.label)), author: joined(labels.map(\.author)))
    }
}

/// The time of a commit, and its label. It is the last part of the payload of a commit:
///
///     fields   1 byte: 1 if there is a label, plus 2 if there is an author
///     time     8 bytes: microseconds since 1970
///     label    a string, if there is one
///     author   likewise
///
/// A reader ignores other fields and what follows, so that later versions can add to a stamp. Commits of before format 7 have none.
package struct CommitStamp: Equatable, Sendable {
    /// The time at which the commit was made, in microseconds since 1970, by the clock of its writer. Clocks are set and differ, so
    /// only the numbers of commits give their order.
    package let microseconds: Int64
    /// The label and the author.
    package let label: CommitLabel

    /// A replacement for the clock in tests, with which the same history produces the same bytes.
    @TaskLocal package static var clock: (@Sendable () -> Int64)?

    /// Creates the stamp of a commit that is made now.
    init(_ label: CommitLabel) {
        self.label = label
        microseconds =
            CommitStamp.clock?() ?? Int64(exactly: (Date().timeIntervalSince1970 * 1e6).rounded()) ?? 0
    }

    private static let (labelField, authorField): (UInt8, UInt8) = (1, 2)

    /// The stamp as the end of a payload.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(
            (label.label == nil ? 0 : CommitStamp.labelField)
                | (label.author == nil ? 0 : CommitStamp.authorField))
        writer.write(word: UInt64(bitPattern: microseconds))
        for text in [label.label, label.author] { if let text { writer.write(text) } }
        return writer.bytes
    }

    fileprivate init(_ reader: inout ByteReader) throws(JournalError) {
        let fields = try reader.readByte()
        microseconds = Int64(bitPattern: try reader.readWord())
        let text = fields & CommitStamp.labelField == 0 ? nil : try reader.readString()
        let author = fields & CommitStamp.authorField == 0 ? nil : try reader.readString()
        label = CommitLabel(text, author: author)
    }
}

extension ByteReader {
    /// Reads the stamp with which a payload ends; returns nil if it ends without one.
    mutating func readStamp() throws(JournalError) -> CommitStamp? {
        isAtEnd ? nil : try CommitStamp(&self)
    }
}
