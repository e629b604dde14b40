import Foundation
import KivoEngine
import KivoJournal
import Synchronization

/// The entry of the one store that all instances of the same data share. The first caller opens the store. Callers that need it
/// while it is opened or closed wait for that; no caller waits for other data.
///
/// Held by its store, and by the callers that open it. Thread-safe: mutable state is guarded by the condition.
final class StoreEntry: @unchecked Sendable {
    private let identity: StoreIdentity
    private let number: Int
    private let condition = NSCondition()
    private weak var store: Store?
    private var isOpening = false
    /// The thread that is opening the store.
    private var opener: ThreadIdentity?
    /// The number of stores that were opened here.
    private var openings = 0
    /// The number of the newest store, until it has closed its file.
    private var open: Int?

    private init(_ identity: StoreIdentity, _ number: Int) {
        self.identity = identity
        self.number = number
        StoreEntry.entryCount.add(1, ordering: .relaxed)
    }

    deinit {
        StoreEntry.entryCount.subtract(1, ordering: .relaxed)
        StoreEntry.forget(identity, number)
    }

    /// Returns the store, which `create` creates if there is none.
    ///
    /// - Precondition: `create` does not open the same store: it would wait for itself.
    func findOrCreate(_ create: () throws -> Store) throws -> Store {
        // Released outside of the lock: if this is the last reference, the store closes and calls `close(_:)`, which takes the
        // lock.
        var displaced: Store?
        defer { withExtendedLifetime(displaced) {} }
        condition.lock()
        while true {
            if isOpening {
                if opener == .current {
                    condition.unlock()
                    trap(
                        """
                        The realm \(identity.words) is opened by code that runs while it is opened, and that would wait for ever. \
                        In a 'migrationBlock' use the migration that is given to it; in 'shouldCompactOnLaunch' and default \
                        values of properties that a migration creates objects with, do without the realm.
                        """)
                }
                condition.wait()
            } else if let store {
                // A store whose file was moved away keeps that file; a new store is opened at the path.
                if store.isDisplaced {
                    displaced = store
                    break
                }
                condition.unlock()
                return store
            } else if open != nil {
                // The last reference to the store is gone, and it is closing on another thread.
                condition.wait()
            } else {
                break
            }
        }
        isOpening = true
        opener = .current
        openings += 1
        let opening = openings
        condition.unlock()
        let created = Result { try create() }
        condition.lock()
        isOpening = false
        opener = nil
        if case .success(let store) = created {
            self.store = store
            open = opening
            store.whenClosed { self.close(opening) }
        }
        condition.broadcast()
        condition.unlock()
        return try created.get()
    }

    /// Whether the store's file is open and not displaced, or is being opened or closed.
    var isOpen: Bool {
        // Released outside of the lock, as above.
        var found: Store?
        defer { withExtendedLifetime(found) {} }
        condition.lock()
        found = store
        let isOpening = isOpening || (found == nil && open != nil)
        condition.unlock()
        return isOpening || found.map { !$0.isDisplaced } ?? false
    }

    /// The store, if it is open.
    var current: Store? { condition.withLock { store } }

    private func close(_ opening: Int) {
        condition.lock()
        if open == opening { open = nil }
        condition.broadcast()
        condition.unlock()
    }

    // MARK: All entries

    private struct Entry: Sendable {
        weak var value: StoreEntry?
        let number: Int
    }

    private struct Index: Sendable {
        var entries: [StoreIdentity: Entry] = [:]
        var count = 0
    }

    private static let index = Lock(Index())

    /// The number of entries, readable without the lock.
    private static let entryCount = Atomic<Int>(0)

    /// Whether some store may be open.
    static var hasEntries: Bool { entryCount.load(ordering: .relaxed) > 0 }

    /// All stores that are open.
    static var openStores: [Store] {
        // Entries are released outside of the lock, which their deinitialiser takes.
        let open = index.withLock { $0.entries.values.compactMap(\.value) }
        return open.compactMap(\.current)
    }

    /// Returns the entry of an identity.
    static func of(_ identity: StoreIdentity) -> StoreEntry {
        index.withLock { index in
            if let entry = index.entries[identity]?.value { return entry }
            index.count += 1
            let entry = StoreEntry(identity, index.count)
            index.entries[identity] = Entry(value: entry, number: index.count)
            return entry
        }
    }

    private static func forget(_ identity: StoreIdentity, _ number: Int) {
        index.withLock { index in
            if index.entries[identity]?.number == number { index.entries[identity] = nil }
        }
    }
}

/// The identity of a realm's data. Realms of one identity share their data.
struct StoreIdentity: Hashable, Sendable {
    private enum Location: Hashable, Sendable {
        /// A file, by its canonical path, as bytes: strings that are equal can be two names.
        case file([UInt8])
        /// Data in memory, by its identifier.
        case memory(String)
        /// Another log, by its identifier.
        case log(String)
    }

    private let location: Location
    private let separation: String?

    /// Creates the identity of a configuration's data. The identity of a file can change as long as neither the file nor its
    /// folder exists.
    init(_ configuration: Realm.Configuration) {
        separation = configuration.separation
        if let url = configuration.fileURL {
            location = .file(FileSystem.canonicalPath(url.path))
        } else if let source = configuration.commitLog {
            location = .log(source.identifier)
        } else {
            location = .memory(configuration.inMemoryIdentifier ?? "")
        }
    }

    /// The location of the data in words, for messages.
    var words: String {
        switch location {
        case .file(let path): "at path '\(String(decoding: path, as: UTF8.self))'"
        case .memory(let identifier): "in memory of identifier '\(identifier)'"
        case .log(let identifier): "of the log '\(identifier)'"
        }
    }

    /// The canonical path of the file, or nil if the data is not in a file.
    var path: String? {
        guard case .file(let path) = location else { return nil }
        return String(decoding: path, as: UTF8.self)
    }
}

extension Realm.Configuration {
    /// The identity of the data.
    var identity: StoreIdentity { StoreIdentity(self) }
}
