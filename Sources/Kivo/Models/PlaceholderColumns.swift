import KivoEngine

/// Addresses for instances that have no columns, or whose reads take the long way: made once, never freed, never written.
enum PlaceholderColumns {
    static var address: UnsafeMutablePointer<UnsafeMutableRawPointer> { storage.columns }
    /// The words of a reader whose generation no accessor ever has.
    static var reader: UnsafeMutablePointer<UInt64> { storage.reader }

    private static let storage = Storage()

    /// Immutable after its initialisation, and so is what it points to; hence safe to share between threads.
    private final class Storage: @unchecked Sendable {
        let columns = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: 1)
        let reader = UnsafeMutablePointer<UInt64>.allocate(capacity: ReaderState.wordCount)

        init() {
            columns.initialize(to: UnsafeMutableRawPointer(reader))
            reader.initialize(repeating: 0, count: ReaderState.wordCount)
        }
    }
}
