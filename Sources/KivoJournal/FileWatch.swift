#if !os(Windows) && !os(WASI)

#if canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif
import Dispatch

/// Calls a block when a file is written: inotify on Linux, the system's events of files on Apple's platforms. Owns what it
/// listens with until it is cancelled.
struct FileWatch: Sendable {
    private let source: Source
    #if os(Linux) || os(Android)
    private let watcher: Int32
    /// A name of the file itself, wherever it has gone.
    private let path: String
    #endif

    /// A source of events. Dispatch's own objects can be used on any thread; this one is activated once and cancelled once.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceProtocol
    }

    /// Ends the calls.
    func cancel() { source.source.cancel() }

    #if os(Linux) || os(Android)
    /// - Parameter descriptor: Of the file, open for longer than it is watched.
    init?(of descriptor: Int32, _ body: @escaping @Sendable () -> Void) {
        let watcher = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        if watcher < 0 { return nil }
        path = "/proc/self/fd/\(descriptor)"
        self.watcher = watcher
        if inotify_add_watch(watcher, path, UInt32(IN_MODIFY)) < 0 {
            _ = closeWatcher(watcher)
            return nil
        }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: watcher, queue: DispatchQueue(label: "Kivo: commits of other processes"))
        source.setEventHandler {
            // What the events say is known: there is something new.
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) {
                while read(watcher, $0.baseAddress!, $0.count) > 0 {}
            }
            body()
        }
        source.setCancelHandler { _ = closeWatcher(watcher) }
        self.source = Source(source: source)
        source.activate()
    }

    /// Writes the file without calling the block. While the lock of the file is held: what others write meanwhile is not heard.
    /// Not before the watch is cancelled on another thread: the descriptor may be another one's after that.
    ///
    /// To call the block wakes two threads, which takes as long as a third of a flush.
    func silently(_ write: () -> Void) {
        // Another mask for the watch that is there. It has to be one of some event, which does not happen here.
        let isSilent = inotify_add_watch(watcher, path, UInt32(IN_DELETE_SELF)) >= 0
        write()
        if isSilent { _ = inotify_add_watch(watcher, path, UInt32(IN_MODIFY)) }
    }
    #elseif canImport(Darwin)
    /// - Parameter descriptor: Of the file, open for longer than it is watched.
    init?(of descriptor: Int32, _ body: @escaping @Sendable () -> Void) {
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: .write,
            queue: DispatchQueue(label: "Kivo: commits of other processes"))
        source.setEventHandler { body() }
        self.source = Source(source: source)
        source.activate()
    }

    /// Writes the file. The system has no way to leave out one writer: the block is called.
    func silently(_ write: () -> Void) { write() }
    #else
    /// There is no way to hear of it here.
    init?(of descriptor: Int32, _ body: @escaping @Sendable () -> Void) { return nil }

    /// Writes the file.
    func silently(_ write: () -> Void) { write() }
    #endif
}

#if os(Linux) || os(Android)
// Under a name of its own: `close` is a method in other files of the same kind.
private func closeWatcher(_ descriptor: Int32) -> Int32 { close(descriptor) }
#endif

#endif
