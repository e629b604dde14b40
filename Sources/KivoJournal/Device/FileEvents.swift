#if os(Linux) || os(Android)

#if canImport(Android)
import Android
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif
import Dispatch
import KivoEngine

/// The events of all files that the process watches, from one inotify instance. A user has few instances, and a program may have
/// many files open.
enum FileEvents {
    private struct Watcher: @unchecked Sendable {
        // Proof: the source is activated once, and never changed after that.
        let descriptor: Int32
        let source: any DispatchSourceProtocol
    }

    private struct Weak: Sendable {
        weak var watch: FileWatch?
    }

    private struct State: Sendable {
        var watcher: Watcher?
        /// The watches of a file, by the number that the system has given it: one for each file in the process.
        var watches: [Int32: [Weak]] = [:]
    }

    private static let state = Lock(State())
    /// The observed events: writes, and changes of the number of names.
    private static let events = UInt32(IN_MODIFY) | UInt32(IN_ATTRIB)
    /// The events that are still observed while this process writes silently.
    private static let silence = UInt32(IN_ATTRIB)

    /// Returns a path to an open file, which is valid wherever the file has moved.
    private static func name(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// Watches a file. Returns the number of the watch; nil if the system has none left.
    static func add(_ watch: FileWatch, _ descriptor: Int32) -> Int32? {
        state.withLock { state in
            if state.watcher == nil { state.watcher = makeWatcher() }
            guard let watcher = state.watcher else { return nil }
            let number = inotify_add_watch(watcher.descriptor, name(descriptor), events)
            if number < 0 { return nil }
            state.watches[number, default: []].append(Weak(watch: watch))
            return number
        }
    }

    static func remove(_ watch: FileWatch, _ number: Int32) {
        state.withLock { state in
            state.watches[number]?.removeAll { $0.watch == nil || $0.watch === watch }
            guard let remaining = state.watches[number], remaining.isEmpty, let watcher = state.watcher else {
                return
            }
            state.watches[number] = nil
            _ = inotify_rm_watch(watcher.descriptor, number)
        }
    }

    /// Writes a file without calling one watch of it. The other watches of this process are called.
    static func silently(_ watch: FileWatch, _ number: Int32, _ descriptor: Int32, _ write: () -> Void) {
        let watcher = state.withLock { $0.watcher?.descriptor }
        // This changes the mask of the existing watch.
        let isSilent = watcher.map { inotify_add_watch($0, name(descriptor), silence) == number } ?? false
        write()
        guard isSilent, let watcher else { return }
        _ = inotify_add_watch(watcher, name(descriptor), events)
        let others = state.withLock { $0.watches[number] ?? [] }
        for other in others { if let other = other.watch, other !== watch { other.call() } }
    }

    private static func makeWatcher() -> Watcher? {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        if descriptor < 0 { return nil }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "Kivo: files of other processes"))
        source.setEventHandler { readEvents(descriptor) }
        source.activate()
        return Watcher(descriptor: descriptor, source: source)
    }

    private static func readEvents(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress!, buffer.count)
                if count <= 0 { return }
                var offset = 0
                while offset + MemoryLayout<inotify_event>.size <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    offset += MemoryLayout<inotify_event>.size + Int(event.len)
                    deliver(event)
                }
            }
        }
    }

    private static func deliver(_ event: inotify_event) {
        let watches = state.withLock { state -> [Weak] in
            // Some events were lost, so all watches are called.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return Array(state.watches.values.joined()) }
            return event.mask & events != 0 ? state.watches[event.wd] ?? [] : []
        }
        for watch in watches { watch.watch?.call() }
    }
}

#endif
