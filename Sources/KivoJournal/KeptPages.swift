import KivoEngine

/// The pages of files that nodes refer to: they can be brought in until this goes.
///
/// Thread-safe.
final class KeptPages: Sendable {
    private let files = Lock<Set<Int>>([])

    deinit { for file in files.withLock({ $0 }) { PageFiles.remove(file) } }

    /// Keeps the pages of a file.
    func keep(_ pages: JournalPages) { files.withLock { _ = $0.insert(pages.number) } }
}
