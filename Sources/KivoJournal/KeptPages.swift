import KivoEngine

/// The pages of files to which nodes refer. Nodes can be loaded from them until this object is deinitialised.
///
/// Thread-safe.
final class KeptPages: Sendable {
    private let files = Lock<Set<Int>>([])

    deinit { for file in files.withLock({ $0 }) { PageFiles.remove(file) } }

    /// Retains the pages of a file.
    func keep(_ pages: JournalPages) { files.withLock { _ = $0.insert(pages.number) } }
}
