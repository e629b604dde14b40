#if compiler(>=6.2)
import Testing

/// Checks that a process ended with a message that has certain words in it.
func check(
    _ result: ExitTest.Result?, says words: [String], _ location: SourceLocation = #_sourceLocation
) throws {
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for word in words {
        #expect(text.contains(word), "\(text.prefix(500))", sourceLocation: location)
    }
}
#endif
