import KivoSourceModel

/// Checks of the local variables that hold tokens. A token that nothing reads again is released, and its observation ended, as soon
/// as the optimizer likes.
struct TokenChecks {
    let program: Program

    private static let modules: Set<String> = ["Kivo", "KivoObserving", "KivoSwiftUI", "RealmSwift"]
    private static let tokenTypes: Set<String> = [
        "KeyValueObservation", "NSKeyValueObservation", "NotificationToken",
    ]

    func diagnostics() -> [Diagnostic] {
        program.files.flatMap { file -> [Diagnostic] in
            guard file.imports.contains(where: { Self.modules.contains($0.path.first ?? "") }) else {
                return []
            }
            return file.bodies.flatMap { diagnostics(of: $0, file.source) }
        }
    }

    private func diagnostics(of body: FunctionBody, _ source: SourceText) -> [Diagnostic] {
        var found: [Diagnostic] = []
        for binding in body.bindings {
            let isArray = holdsTokens(binding)
            guard isArray || isObserving(binding.value) else { continue }
            let places = body.tokens.filter { source.names(binding.name, at: $0) }
            guard let declaration = places.first(where: { source.isDeclared(at: $0) }) else { continue }
            let uses = places.filter { $0 != declaration }
            // The compiler warns of a single token that is never used.
            guard isArray || !uses.isEmpty, !uses.contains(where: { source.isRead(at: $0) }) else { continue }
            let what = isArray ? "these tokens are" : "this token is"
            found.append(
                Diagnostic(
                    .warning, source.location(of: source.tokens[declaration].start),
                    """
                    nothing reads '\(binding.name)' again, so that \(what) released at once in release builds, which ends the \
                    observing ('_ = \(binding.name)' does not help): use a property, or \
                    'withExtendedLifetime(\(binding.name)) { … }'
                    """))
        }
        return found
    }

    /// Whether a variable is an array of tokens.
    private func holdsTokens(_ binding: Binding) -> Bool {
        if case .array(let element)? = binding.type, let name = element.path?.last {
            return Self.tokenTypes.contains(name)
        }
        guard case .array(let elements)? = binding.value?.bare else { return false }
        return elements.contains { isObserving($0) }
    }

    private func isObserving(_ expression: Expression?) -> Bool {
        guard case .call(let call)? = expression?.bare else { return false }
        switch call.function.bare {
        case .member(_, let name, _), .name(let name, _): return name == "observe"
        default: return false
        }
    }
}

extension SourceText {
    /// Whether a token is the name of a variable, instead of a member or a label.
    fileprivate func names(_ name: String, at index: Int) -> Bool {
        guard tokens[index].kind == .word, self.name(of: tokens[index]) == name else { return false }
        if matches(index - 1, ".") { return false }
        return !(matches(index + 1, ":") && (matches(index - 1, "(") || matches(index - 1, ",")))
    }

    fileprivate func isDeclared(at index: Int) -> Bool {
        matches(index - 1, "let") || matches(index - 1, "var")
    }

    /// Whether a name is read at a token. Assignments and `_ = name` do not count.
    fileprivate func isRead(at index: Int) -> Bool {
        if matches(index + 1, "="), !matches(index + 2, "=") { return false }
        if matches(index + 1, "+"), matches(index + 2, "=") { return false }
        if matches(index + 1, "."), matches(index + 2, "append") { return false }
        guard matches(index - 1, "="), matches(index - 2, "_") else { return true }
        let isLast = index + 1 == tokens.count || tokens[index + 1].isFirstOfLine
        return !(isLast || matches(index + 1, ";") || matches(index + 1, "}"))
    }
}
