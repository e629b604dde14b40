import KivoJournal

extension CommitStamp {
    /// The time in the notation of ISO 8601 in UTC, to the millisecond.
    var time: String {
        let (milliseconds, _) = microseconds.quotientRounded(by: 1000)
        let (seconds, rest) = milliseconds.quotientRounded(by: 1000)
        guard let second = StoredValue.text(ofSecond: seconds) else { return "\(seconds) s" }
        return second.dropLast() + "." + String(1000 + rest).dropFirst() + "Z"
    }
}

extension Int64 {
    /// Returns the quotient, rounded down, and the remainder.
    fileprivate func quotientRounded(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}

extension JournalReader.Record {
    /// The time, the label and the author of the commit as the rest of a line; empty if it has none.
    var stampText: String {
        guard let stamp else { return "" }
        let label = stamp.label.label.map { " \"" + StoredValue.visible($0) + "\"" } ?? ""
        let author = stamp.label.author.map { " by " + StoredValue.visible($0) } ?? ""
        return ", " + stamp.time + label + author
    }
}

extension JSONText {
    /// Writes the time of a commit, its label and its author, as far as it has them.
    mutating func members(of stamp: CommitStamp?) {
        guard let stamp else { return }
        member("time", stamp.time)
        if let label = stamp.label.label { member("label", label) }
        if let author = stamp.label.author { member("author", author) }
    }
}
