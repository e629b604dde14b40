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
import KivoEngine
import Synchronization

/// Calls a closure when a file is written or loses its name: by ``FileEvents`` on Linux, by the system's events of files on
/// Apple's platforms. Elsewhere, and where the system has no watch left, it looks at the file again and again.
final class FileWatch: Sendable {
    private let descriptor: Int32
    private let path: String
    private let isPolling: Bool
    private let body: @Sendable () -> Void
    private let queue = DispatchQueue(label: "Kivo: commits of other processes")
    /// Whether the closure is about to be called: news that come until then are the same.
    private let isDue = Atomic(false)
    private let isCancelled = Atomic(false)
    private let source = Lock(Source())
    /// What was at the beginning of the file when it was looked at last.
    private let seen = Lock([UInt8]())

    /// A source of events. Dispatch's own objects can be used on any thread; each is activated once and cancelled once.
    private struct Source: @unchecked Sendable {
        var source: (any DispatchSourceProtocol)?
        /// The number of the watch in ``FileEvents``.
        var watch: Int32?
    }

    /// How often a file is looked at that cannot be watched.
    private static let interval = DispatchTimeInterval.milliseconds(100)

    /// - Parameters:
    ///   - descriptor: The file, open for longer than it is watched.
    ///   - path: Its path, for messages.
    ///   - isPolling: Whether to do without the system.
    init(
        of descriptor: Int32, _ path: String, isPolling: Bool = false, _ body: @escaping @Sendable () -> Void
    ) {
        (self.descriptor, self.path, self.isPolling, self.body) = (descriptor, path, isPolling, body)
        begin()
    }

    /// Ends the calls.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        end()
    }

    /// Watches the file that the descriptor leads to by now, and calls the closure: that file may have been written before.
    func move() {
        end()
        if isCancelled.load(ordering: .relaxed) { return }
        begin()
        call()
    }

    /// Schedules a call of the closure. On a queue of its own: it may wait for a write of its store, and others are called
    /// meanwhile.
    func call() {
        if isDue.exchange(true, ordering: .relaxed) { return }
        queue.async { [weak self] in
            guard let self else { return }
            isDue.store(false, ordering: .relaxed)
            if !isCancelled.load(ordering: .relaxed) { body() }
        }
    }

    private func begin() {
        if isPolling { return poll() }
        #if os(Linux) || os(Android)
        if let watch = FileEvents.add(self, descriptor) {
            source.withLock { $0.watch = watch }
        } else {
            poll()
        }
        #elseif canImport(Darwin)
        guard let own = openForEvents() else { return poll() }
        let events = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: own, eventMask: [.write, .delete, .link, .rename], queue: queue)
        events.setEventHandler { [weak self] in self?.call() }
        events.setCancelHandler { close(own) }
        let made = Source(source: events)
        source.withLock { $0 = made }
        made.source?.activate()
        #else
        poll()
        #endif
    }

    private func end() {
        let ended = source.withLock { source in
            defer { source = Source() }
            return source
        }
        ended.source?.cancel()
        #if os(Linux) || os(Android)
        if let watch = ended.watch { FileEvents.remove(self, watch) }
        #endif
    }

    #if canImport(Darwin)
    /// A descriptor for events alone; nil if the path does not lead to the file any more. A source of events needs its descriptor until
    /// its cancel handler runs, when the file itself may be closed; a copy of that one would keep its lock.
    private func openForEvents() -> Int32? {
        let own = open(path, O_EVTONLY | O_CLOEXEC)
        if own < 0 { return nil }
        var (ours, watched) = (stat(), stat())
        if fstat(own, &watched) == 0, fstat(descriptor, &ours) == 0, watched.st_ino == ours.st_ino,
            watched.st_dev == ours.st_dev
        {
            return own
        }
        close(own)
        return nil
    }
    #endif

    // MARK: Looking

    private func poll() {
        FileNotice.sayOnce(
            "polling",
            """
            The system has no watch left for '\(path)': commits of other processes are looked for ten times a second, here and for \
            files that are opened later. On Linux 'fs.inotify.max_user_instances' and 'max_user_watches' say how many there are.
            """)
        look()
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + FileWatch.interval, repeating: FileWatch.interval)
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            if look() || isRemoved { call() }
        }
        let made = Source(source: timer)
        source.withLock { $0 = made }
        made.source?.activate()
    }

    /// Whether the file is not what it was.
    @discardableResult
    private func look() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == bytes.count else { return false }
        let now = bytes
        return seen.withLock { seen in
            defer { seen = now }
            return seen != now
        }
    }

    private var isRemoved: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    // MARK: Silence

    /// Writes the file without calling the closure. While the lock of the file is held: what others write meanwhile is not heard.
    /// Not after the watch was cancelled.
    ///
    /// To call the closure wakes two threads, which takes as long as a third of a flush. On Apple's platforms the system has no
    /// way to leave out one writer.
    func silently(_ write: () -> Void) {
        #if os(Linux) || os(Android)
        if let watch = source.withLock({ $0.watch }) {
            return FileEvents.silently(self, watch, descriptor, write)
        }
        #endif
        write()
        #if !canImport(Darwin)
        look()
        #endif
    }
}

#endif
