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

/// A watch that calls a closure when a file is written or loses its name. It uses ``FileEvents`` on Linux, and the system's file
/// events on Apple's platforms. Elsewhere, and if the system has no watch left, it polls the file.
final class FileWatch: Sendable {
    private let descriptor: Int32
    private let path: String
    private let isPolling: Bool
    private let body: @Sendable () -> Void
    private let queue = DispatchQueue(label: "Kivo: commits of other processes")
    /// Whether a call of the closure is scheduled. That call covers all events until then.
    private let isDue = Atomic(false)
    private let isCancelled = Atomic(false)
    private let source = Lock(Source())
    /// The first bytes of the file when it was last polled.
    private let seen = Lock([UInt8]())

    /// A source of events. Dispatch objects can be used on any thread; each is activated once and cancelled once.
    private struct Source: @unchecked Sendable {
        var source: (any DispatchSourceProtocol)?
        /// The number of the watch in ``FileEvents``.
        var watch: Int32?
    }

    /// The interval at which a file is polled that cannot be watched.
    private static let interval = DispatchTimeInterval.milliseconds(100)

    /// - Parameters:
    ///   - descriptor: The descriptor of the file, which stays open for longer than the watch.
    ///   - path: The path of the file, for messages.
    ///   - isPolling: Whether to poll the file instead of using the system's events.
    init(
        of descriptor: Int32, _ path: String, isPolling: Bool = false, _ body: @escaping @Sendable () -> Void
    ) {
        (self.descriptor, self.path, self.isPolling, self.body) = (descriptor, path, isPolling, body)
        begin()
    }

    /// Cancels the watch, which ends the calls.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        end()
    }

    /// Watches the file to which the descriptor leads now, and schedules a call: that file may have been written before.
    func move() {
        end()
        if isCancelled.load(ordering: .relaxed) { return }
        begin()
        call()
    }

    /// Schedules a call of the closure on the watch's own queue. The closure may wait for a write of its store, while other
    /// closures are called.
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
    /// Returns a descriptor for events only; nil if the path no longer leads to the file. A source of events needs its descriptor
    /// until its cancel handler runs, when the file itself may be closed. A copy of the file's descriptor would keep its lock.
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

    /// Returns whether the first bytes of the file have changed since the last call.
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

    /// Writes the file without calling the closure.
    ///
    /// A call of the closure wakes two threads, which takes a third of the time of a flush. On Apple's platforms the system
    /// cannot leave out one writer, so the closure is called there.
    ///
    /// - Precondition: The caller holds the lock of the file, because writes of others meanwhile are not noticed. The watch is
    ///   not cancelled.
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
