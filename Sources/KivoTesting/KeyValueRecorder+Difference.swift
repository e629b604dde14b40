extension KeyValueRecorder {
    /// How the recorded changes differ from expected ones: nil if they do not, else a text to read.
    ///
    /// Lines that begin with `-` are changes that were expected and did not come at that place, lines with
    /// `+` changes that came and were not expected there; the others are as expected. Use it in test
    /// libraries that the assertions do not serve.
    public func difference(from expected: [KeyValueChange]) -> String? {
        let alignment = ChangeAlignment(expected, changes) { $0.isMet(by: $1) }
        if alignment.isExact { return nil }
        // Key paths tell nothing if all changes are of one, and the test names none.
        let isNamed = expected.contains { $0.keyPath != nil } || Set(changes.map(\.keyPath)).count > 1
        // A change that is missing and one that came in its stead must not look the same.
        let missing = alignment.steps.filter { $0.mark == "-" }.map(\.change)
        let isDetailed = alignment.steps.contains { step in
            step.mark == "+" && missing.contains { step.change.isLookalike(of: $0) }
        }
        let lines = alignment.steps.map {
            "\($0.mark) \($0.change.text(isNamed: isNamed, isDetailed: isDetailed))"
        }
        return ([ChangeAlignment<KeyValueChange>.heading] + lines).joined(separator: "\n")
    }
}
