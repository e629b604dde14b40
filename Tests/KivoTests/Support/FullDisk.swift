#if !os(Windows) && !os(WASI)

import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// The system's calls on files, of a disk that can be full: what makes a file longer fails then.
final class FullDisk: Sendable {
    private struct State: Sendable {
        var room = Int.max
        var reason = ENOSPC
        var failing: Set<String> = []
        var failureCount = 0
    }

    private let state = Lock(State())

    /// How many bytes more there are for files to grow by.
    var room: Int {
        get { state.withLock { $0.room } }
        set { state.withLock { $0.room = newValue } }
    }

    /// How many calls failed.
    var failureCount: Int { state.withLock { $0.failureCount } }

    /// Makes the disk full from now on, for a reason.
    func fill(_ reason: Int32 = ENOSPC) { state.withLock { ($0.room, $0.reason) = (0, reason) } }

    /// Makes a call fail that is neither a read nor a write.
    func fail(_ call: String) { state.withLock { _ = $0.failing.insert(call) } }

    /// Makes everything work again.
    func clear() { state.withLock { ($0.room, $0.failing) = (.max, []) } }

    /// A configuration of a file on this disk.
    func configuration(_ base: Realm.Configuration) -> Realm.Configuration {
        var configuration = base
        configuration.makeDevice = { [self] path, isReadOnly in
            try FileDevice.open(path: path, readOnly: isReadOnly, isShared: true, calls: calls)
        }
        return configuration
    }

    private func fails(_ call: String, _ reason: Int32 = EIO) -> Bool {
        let fails = state.withLock { state in
            guard state.failing.contains(call) else { return false }
            state.failureCount += 1
            return true
        }
        errno = reason
        return fails
    }

    private var calls: FileCalls {
        var calls = FileCalls()
        calls.open = { [self] path, flags in
            path.hasSuffix(".compacting") && fails("making", ENOSPC)
                ? -1 : FileCalls.system.open(path, flags)
        }
        calls.write = { [self] in write($0, $1, $2) }
        calls.rename = { [self] in fails("rename") ? -1 : FileCalls.system.rename($0, $1) }
        calls.synchronizeFolder = { [self] in
            fails("synchronizeFolder") ? -1 : FileCalls.system.synchronizeFolder($0)
        }
        return calls
    }

    private func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        var status = stat()
        _ = fstat(file, &status)
        let growth = max(0, offset + bytes.count - Int(status.st_size))
        let (missing, reason) = state.withLock { state in
            let missing = max(0, growth - state.room)
            if state.room != .max { state.room -= growth - missing }
            if missing > 0 { state.failureCount += 1 }
            return (missing, state.reason)
        }
        if missing == bytes.count, missing > 0 {
            errno = reason
            return -1
        }
        return FileCalls.system.write(file, UnsafeRawBufferPointer(rebasing: bytes.dropLast(missing)), offset)
    }
}

#endif
