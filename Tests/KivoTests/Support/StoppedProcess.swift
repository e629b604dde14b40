import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// A process that can be stopped: while it is, it does not hear of what others commit, and does not look.
///
/// Stands for one by the file that its realms open.
final class StoppedProcess: Sendable {
    private struct State: Sendable {
        var isStopped = false
        /// The end that was published when the process was stopped.
        var seen: PublishedEnd?
        var watchers: [@Sendable () -> Void] = []
        var sharings: [any JournalSharing] = []
    }

    private let state = Lock(State())

    /// A configuration whose realm belongs to the process.
    func configuration(_ base: Realm.Configuration, named name: String) -> Realm.Configuration {
        var configuration = base
        configuration.separation = name
        configuration.makeDevice = { [self] path, isReadOnly in
            StoppableDevice(
                try FileDevice.open(path: path, readOnly: isReadOnly, isShared: true), self)
        }
        return configuration
    }

    func stop() {
        let sharing = state.withLock { $0.sharings.last }
        let seen = sharing?.published()
        state.withLock { ($0.isStopped, $0.seen) = (true, seen) }
    }

    /// Lets the process go on, which hears of what happened.
    func go() {
        let watchers = state.withLock { state in
            state.isStopped = false
            return state.watchers
        }
        for watcher in watchers { watcher() }
    }

    fileprivate func add(_ sharing: any JournalSharing) { state.withLock { $0.sharings.append(sharing) } }

    fileprivate func add(_ watcher: @escaping @Sendable () -> Void) {
        state.withLock { $0.watchers.append(watcher) }
    }

    fileprivate func published(_ sharing: any JournalSharing) -> PublishedEnd? {
        if let seen = state.withLock({ $0.isStopped ? Optional($0.seen) : nil }) { return seen }
        return sharing.published()
    }

    fileprivate func told(_ body: () -> Void) { if !state.withLock({ $0.isStopped }) { body() } }
}

/// The file of a process that can be stopped.
private final class StoppableDevice: JournalDevice {
    private let base: FileDevice
    private let process: StoppedProcess
    let sharing: (any JournalSharing)?

    init(_ base: FileDevice, _ process: StoppedProcess) {
        (self.base, self.process) = (base, process)
        sharing = base.sharing.map { StoppableSharing($0, process) }
    }

    private init(_ base: FileDevice, _ process: StoppedProcess, _ sharing: (any JournalSharing)?) {
        (self.base, self.process, self.sharing) = (base, process, sharing)
    }

    private func other(_ device: (any JournalDevice)?) -> (any JournalDevice)? {
        (device as? FileDevice).map { StoppableDevice($0, process, sharing) }
    }

    var name: String { base.name }
    func size() throws(JournalError) -> Int { try base.size() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        try base.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        try base.write(bytes, at: offset)
    }
    func synchronize() throws(JournalError) { try base.synchronize() }
    func truncate(to size: Int) throws(JournalError) { try base.truncate(to: size) }
    func checkName() throws(JournalError) { try base.checkName() }
    func reopened() throws(JournalError) -> (any JournalDevice)? { other(try base.reopened()) }
    func makeReplacement() throws(JournalError) -> (any JournalDevice)? { other(try base.makeReplacement()) }
    func replace(by device: any JournalDevice) throws(JournalError) {
        try base.replace(by: (device as? StoppableDevice)?.base ?? device)
    }
    func synchronizeName() throws(JournalError) { try base.synchronizeName() }
    func discard(_ device: any JournalDevice) {
        base.discard((device as? StoppableDevice)?.base ?? device)
    }
    func close() { base.close() }
}

private final class StoppableSharing: JournalSharing {
    private let base: any JournalSharing
    private let process: StoppedProcess

    init(_ base: any JournalSharing, _ process: StoppedProcess) {
        (self.base, self.process) = (base, process)
        process.add(base)
    }

    func lock() throws(JournalError) { try base.lock() }
    func tryLock() throws(JournalError) -> Bool { try base.tryLock() }
    func unlock() { base.unlock() }
    func published() -> PublishedEnd? { process.published(base) }
    func publish(_ end: PublishedEnd, to audience: PublicationAudience) {
        base.publish(end, to: audience)
    }
    func watch(_ body: @escaping @Sendable () -> Void) {
        process.add(body)
        base.watch { [process] in process.told(body) }
    }
    func close() { base.close() }
}
