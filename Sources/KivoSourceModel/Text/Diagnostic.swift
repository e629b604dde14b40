/// A message about a place in a source, in the compiler's format.
package struct Diagnostic: Hashable, Sendable {
    package enum Severity: String, Sendable {
        case error
        case warning
        case note
    }

    package var severity: Severity
    package var location: SourceLocation
    package var message: String

    package init(_ severity: Severity, _ location: SourceLocation, _ message: String) {
        self.severity = severity
        self.location = location
        self.message = message
    }

    /// The message as `path:line:column: error: message`, which build logs and editors recognise.
    package var line: String {
        "\(location.path):\(location.line):\(location.column): \(severity.rawValue): \(message)"
    }
}
