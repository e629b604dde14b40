/// One thing that the reference page promises: done, shown, and compared with what is expected.
struct Scene {
    /// What one listener must be told, in order. Different listeners have no order between them.
    struct Expectation {
        let listener: String
        let notices: [String]

        init(_ listener: String, _ notices: [String]) {
            self.listener = listener
            self.notices = notices
        }
    }

    let title: String
    /// What the page says, in short.
    let page: String
    let expected: [Expectation]
    /// Attaches the listeners, which write into the transcript, and makes the edits.
    let action: (Transcript) throws -> Void
}
