import Foundation
import KivoEngine
import KivoJournal

/// A process that uses a shared disk and can be killed. After that, its operations have no effect, and its lock is free.
final class DiskProcess: Sendable {
    private struct Life: Sendable {
        var isKilled = false
        /// The number of operations until the process is killed, or nil if it is not.
        var remainingSteps: Int?
        /// The number of writes or flushes that succeed, and the number of those that fail after them.
        var failure: (isFlush: Bool, after: Int, times: Int)?
        var openCount = 0
    }

    fileprivate let disk: SharedDisk
    fileprivate let number: Int
    private let life = Lock(Life())

    init(_ disk: SharedDisk, number: Int) {
        self.disk = disk
        self.number = number
    }

    /// Whether the process was killed.
    var isKilled: Bool { life.withLock { $0.isKilled } }
    /// The number of open devices.
    var openCount: Int { life.withLock { $0.openCount } }

    /// A description of the open devices.
    var words: String {
        life.withLock { life in
            "\(life.openCount) devices of process \(number)\(life.isKilled ? ", which was killed," : "")"
        }
    }

    /// Opens the file that has the name.
    func open() -> any JournalDevice {
        openOne()
        return ProcessDevice(self, disk.state.withLock { $0.named })
    }

    /// Kills the process at the operation after the given number.
    func kill(afterSteps steps: Int) { life.withLock { $0.remainingSteps = steps } }

    /// Cancels a planned kill and planned failures.
    func spare() {
        life.withLock { life in
            life.remainingSteps = nil
            life.failure = nil
        }
    }

    /// Makes writes or flushes fail after a number of successful ones.
    func fail(flush: Bool, after: Int, times: Int) { life.withLock { $0.failure = (flush, after, times) } }

    fileprivate func openOne() { life.withLock { $0.openCount += 1 } }
    fileprivate func closeOne() { life.withLock { $0.openCount -= 1 } }

    /// The result of an operation.
    fileprivate enum Turn { case works, fails, kills, isDead }

    fileprivate func turn(isWrite: Bool = false, isFlush: Bool = false) -> Turn {
        life.withLock { life in
            if life.isKilled { return .isDead }
            if let steps = life.remainingSteps {
                life.remainingSteps = steps - 1
                if steps <= 0 {
                    life.isKilled = true
                    disk.state.withLock { if $0.lock?.process == number { $0.lock = nil } }
                    return .kills
                }
            }
            guard let failure = life.failure, failure.isFlush ? isFlush : isWrite else { return .works }
            if failure.after > 0 {
                life.failure!.after -= 1
            } else if failure.times > 0 {
                life.failure!.times -= 1
                return .fails
            }
            return .works
        }
    }

    /// Performs an atomic operation.
    fileprivate func step(_ body: (inout SharedDisk.State) -> Void) throws(JournalError) {
        guard turn() == .works else { throw DiskProcess.killed }
        disk.change(body)
    }

    fileprivate static let killed = JournalError.io(
        errno: 5, operation: "using a disk by a process that is gone")
}

/// A file of the disk that a process has open.
private final class ProcessDevice: JournalDevice {
    private let process: DiskProcess
    private let file: Int
    private let isOpen = Lock(true)
    private let isBeingMade = Lock(false)
    let sharing: (any JournalSharing)?

    init(_ process: DiskProcess, _ file: Int, _ sharing: (any JournalSharing)? = nil) {
        (self.process, self.file) = (process, file)
        self.sharing = sharing ?? ProcessSharing(process)
    }

    deinit { close() }

    private var disk: SharedDisk { process.disk }
    var name: String { "of a shared disk" }

    func size() throws(JournalError) -> Int { disk.state.withLock { $0.files[file].cache.count } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        disk.state.withLock { state in
            let part = state.files[file].cache.dropFirst(offset).prefix(buffer.count)
            part.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<bytes.count]).copyMemory(from: bytes)
            }
            return part.count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        let written = Array(bytes)
        let turn = process.turn(isWrite: true)
        if turn == .isDead { throw DiskProcess.killed }
        disk.change { state in
            // A kill or a failure may happen when a part is written.
            let count = turn == .works ? written.count : state.random.below(written.count + 1)
            state.put(written.prefix(count), at: offset, file)
        }
        if turn == .kills { throw DiskProcess.killed }
        if turn == .fails { throw .noSpace }
    }

    func synchronize() throws(JournalError) {
        switch process.turn(isFlush: true) {
        case .works: disk.change { $0.flush(file) }
        case .fails:
            disk.change { $0.failFlush(file) }
            throw .io(errno: 5, operation: "synchronizing")
        case .kills, .isDead: throw DiskProcess.killed
        }
    }

    func truncate(to size: Int) throws(JournalError) {
        try process.step { $0.truncate(file, to: size) }
    }

    func checkName() throws(JournalError) {
        if isBeingMade.withLock({ $0 }) { return }
        if disk.state.withLock({ $0.named != file }) { throw .displaced }
    }

    func reopened() throws(JournalError) -> (any JournalDevice)? {
        ProcessDevice.counted(process, disk.state.withLock { $0.named }, sharing)
    }

    private static func counted(
        _ process: DiskProcess, _ file: Int, _ sharing: (any JournalSharing)?
    ) -> ProcessDevice {
        process.openOne()
        return ProcessDevice(process, file, sharing)
    }

    func makeReplacement() throws(JournalError) -> (any JournalDevice)? {
        guard process.turn() == .works else { throw DiskProcess.killed }
        let number = disk.state.withLock { state in
            state.files.append(SharedDisk.File())
            return state.files.count - 1
        }
        let device = ProcessDevice.counted(process, number, sharing)
        device.isBeingMade.withLock { $0 = true }
        return device
    }

    func replace(by device: any JournalDevice) throws(JournalError) {
        guard let device = device as? ProcessDevice else { throw .permissionDenied }
        // Another process may have replaced the file first.
        try checkName()
        try process.step { $0.names.append(device.file) }
        device.isBeingMade.withLock { $0 = false }
        try synchronizeName()
    }

    func synchronizeName() throws(JournalError) {
        try process.step { $0.names = [$0.named] }
    }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { process.closeOne() }
    }
}

/// The locks between the processes of a disk.
private final class ProcessSharing: JournalSharing {
    private let process: DiskProcess

    init(_ process: DiskProcess) { self.process = process }

    func lock() throws(JournalError) {
        let limit = ContinuousClock.now + .seconds(20)
        while try !tryLock() {
            if ContinuousClock.now > limit { throw .timedOut(holder: nil) }
            Thread.sleep(forTimeInterval: 0.0001)
        }
    }

    func tryLock() throws(JournalError) -> Bool {
        let isLocked = process.disk.state.withLock { state in
            if let lock = state.lock, lock.process != process.number { return false }
            state.lock = (process.number, (state.lock?.depth ?? 0) + 1)
            return true
        }
        // Check this last: a later kill returns the lock itself.
        if process.isKilled {
            process.disk.state.withLock { if $0.lock?.process == process.number { $0.lock = nil } }
            throw DiskProcess.killed
        }
        return isLocked
    }

    func unlock() {
        process.disk.state.withLock { state in
            guard let lock = state.lock, lock.process == process.number else { return }
            state.lock = lock.depth > 1 ? (lock.process, lock.depth - 1) : nil
        }
    }

    func published() -> PublishedEnd? { process.disk.state.withLock { $0.published } }

    func publish(_ end: PublishedEnd, to audience: PublicationAudience) {
        try? process.step { $0.published = end }
    }

    // Processes of a run poll for commits themselves.
    func watch(_ body: @escaping @Sendable () -> Void) {}

    func close() {}
}
