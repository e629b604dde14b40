extension KeyValueRecorder {
    /// Returns a readable description of how the recorded changes differ from expected ones, or nil if they do not.
    ///
    /// Lines with `-` are expected changes that are missing at that place. Lines with `+` are recorded changes that are
    /// unexpected there. The others are as expected. Use it with test libraries for which there is no assertion.
    public func difference(from expected: [KeyValueChange]) -> String? {
        let alignment = ChangeAlignment(expected, changes) { $0.isMet(by: $1) }
        if alignment.isExact { return nil }
        // Key paths are noise if all changes have the same one and the test names none.
        let isNamed = expected.contains { $0.keyPath != nil } || Set(changes.map(\.keyPath)).count > 1
        // A missing change and the one that was recorded instead must not have the same text.
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
