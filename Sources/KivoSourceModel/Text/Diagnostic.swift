/// Something to say of a source, in the compiler's form.
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

    /// `path:line:column: error: message`, which build logs and editors understand.
    package var line: String {
        "\(location.path):\(location.line):\(location.column): \(severity.rawValue): \(message)"
    }
}
