/// A demonstration of one statement of realm-swift's page "React to Changes". Its notifications are compared with the expected ones.
struct Scene {
    /// The notifications that one listener must receive, in order. The order between different listeners is undefined.
    struct Expectation {
        let listener: String
        let notices: [String]

        init(_ listener: String, _ notices: [String]) {
            self.listener = listener
            self.notices = notices
        }
    }

    let title: String
    /// A summary of the page's statement.
    let page: String
    let expected: [Expectation]
    /// Attaches the listeners, which write to the transcript, and makes the edits.
    let action: (Transcript) throws -> Void
}
