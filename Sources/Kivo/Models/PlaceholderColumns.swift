import KivoEngine

/// Addresses for instances that have no columns, or whose reads take the slow path. They are created once, and are never freed or
/// written.
enum PlaceholderColumns {
    static var address: UnsafeMutablePointer<UnsafeMutableRawPointer> { storage.columns }
    /// The state of a reader whose generation no accessor ever has.
    static var reader: UnsafeMutablePointer<ReaderState> { storage.reader }

    private static let storage = Storage()

    /// Safe to share between threads: neither the addresses nor the memory change after initialisation.
    private final class Storage: @unchecked Sendable {
        let columns = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: 1)
        let reader = ReaderState.allocate()

        init() {
            columns.initialize(to: UnsafeMutableRawPointer(reader))
        }
    }
}
