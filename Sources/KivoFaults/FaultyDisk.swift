import KivoEngine
import KivoJournal

/// A disk in memory with one file name, which fails on demand and can lose its power.
///
/// Unflushed data reaches the platter sector by sector: each sector may get any version since the last flush. After a failed
/// flush, the system has dropped the data that was still to be written. A name that was given to another file leads to either of
/// the two until the folder is flushed.
final class FaultyDisk: Sendable {
    /// The operations that can fail.
    enum Operation: CaseIterable, Sendable { case write, flush, truncate, make, rename, flushFolder }

    static let sectorSize = 512

    fileprivate struct File: Sendable {
        /// The bytes that reading returns.
        var bytes: [UInt8]
        /// The bytes that survive a loss of power.
        var platter: [UInt8]
        /// The versions of sectors since the last flush, by sector number.
        var versions: [Int: [[UInt8]]] = [:]
    }

    fileprivate struct State: Sendable {
        var files: [File]
        /// The file that has the name, and the file that has it after a loss of power.
        var named = 0
        var durablyNamed = 0
        /// The files that had the name before.
        var replaced: Set<Int> = []
        var random: SeededNumbers
        /// The number of operations until the power is lost, or nil for never.
        var remainingSteps: Int?
        var isOff = false
        var failure: (operation: Operation, after: Int, times: Int, error: JournalError)?
        /// The number of bytes by which files can still grow.
        var space: Int?
        var openCount = 0
        var failureCount = 0
        var renameCount = 0
    }

    fileprivate let state: Lock<State>

    init(_ bytes: [UInt8] = [], seed: UInt64 = 1) {
        state = Lock(State(files: [File(bytes: bytes, platter: bytes)], random: SeededNumbers(seed)))
    }

    /// The bytes of the file that has the name.
    var bytes: [UInt8] { state.withLock { $0.files[$0.named].bytes } }
    /// The number of open devices.
    var openCount: Int { state.withLock { $0.openCount } }
    var isOff: Bool { state.withLock { $0.isOff } }
    /// The number of operations that failed on demand.
    var failureCount: Int { state.withLock { $0.failureCount } }
    /// The number of times that the file was replaced.
    var renameCount: Int { state.withLock { $0.renameCount } }

    /// Opens the file that has the name.
    func open() -> any JournalDevice {
        state.withLock { state in
            state.openCount += 1
            return FaultyDevice(self, state.named)
        }
    }

    /// Loses its power after a number of operations. After that, writes fail, and the results of reads are irrelevant.
    func losePower(afterSteps steps: Int) { state.withLock { $0.remainingSteps = steps } }

    /// Makes an operation fail a number of times, after a number of successful calls.
    func fail(_ operation: Operation, after: Int, times: Int, _ error: JournalError) {
        state.withLock { $0.failure = (operation, after, times, error) }
    }

    /// Limits the number of bytes by which files can grow.
    func limit(space: Int) { state.withLock { $0.space = space } }

    /// Stops all failures and lifts the limit of space.
    func repair() {
        state.withLock { state in
            state.failure = nil
            state.space = nil
        }
    }

    /// Returns the contents of the file after a loss of power.
    func afterPowerLoss() -> [UInt8] {
        state.withLock { state in
            let file = state.random.chance(50) ? state.named : state.durablyNamed
            state.flushSome(file)
            return state.files[file].platter
        }
    }
}

extension FaultyDisk.State {
    /// Counts an operation. Throws if the operation must fail.
    mutating func step(_ operation: FaultyDisk.Operation) throws(JournalError) {
        if isOff { throw .io(errno: 5, operation: "using a disk without power") }
        if let steps = remainingSteps {
            guard steps > 0 else {
                isOff = true
                throw .io(errno: 5, operation: "losing power")
            }
            remainingSteps = steps - 1
        }
        guard let failure, failure.operation == operation else { return }
        if failure.after > 0 {
            self.failure!.after -= 1
        } else if failure.times > 0 {
            self.failure!.times -= 1
            failureCount += 1
            throw failure.error
        }
    }

    /// Writes bytes to a file, and records the new versions of the written sectors.
    mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int, _ file: Int) {
        if bytes.isEmpty { return }
        let end = offset + bytes.count
        let size = FaultyDisk.sectorSize
        if end > files[file].bytes.count {
            files[file].bytes += [UInt8](repeating: 0, count: end - files[file].bytes.count)
        }
        bytes.withUnsafeBytes { source in
            files[file].bytes.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[offset..<end]).copyMemory(from: source)
            }
        }
        for sector in offset / size...(end - 1) / size {
            let range = sector * size..<min((sector + 1) * size, files[file].bytes.count)
            files[file].versions[sector, default: []].append(Array(files[file].bytes[range]))
        }
    }

    mutating func resize(_ file: Int) {
        let grown = files[file].bytes.count - files[file].platter.count
        if grown > 0 {
            files[file].platter += [UInt8](repeating: 0, count: grown)
        } else {
            files[file].platter.removeLast(-grown)
        }
    }

    mutating func flushAll(_ file: Int) {
        resize(file)
        for (sector, versions) in files[file].versions { flush(versions.last!, sector, file) }
        files[file].versions = [:]
    }

    /// Flushes a random selection of the unflushed data, and drops the rest.
    mutating func flushSome(_ file: Int) {
        if random.chance(70) { resize(file) }
        for (sector, versions) in files[file].versions.sorted(by: { $0.key < $1.key }) {
            let version = random.below(versions.count + 1)
            if version > 0 { flush(versions[version - 1], sector, file) }
        }
        files[file].versions = [:]
    }

    private mutating func flush(_ bytes: [UInt8], _ sector: Int, _ file: Int) {
        let start = sector * FaultyDisk.sectorSize
        let end = min(start + bytes.count, files[file].platter.count)
        if start < end { files[file].platter.replaceSubrange(start..<end, with: bytes.prefix(end - start)) }
    }
}

/// A file of the disk.
private final class FaultyDevice: JournalDevice {
    private let disk: FaultyDisk
    private let file: Int
    private let isOpen = Lock(true)

    init(_ disk: FaultyDisk, _ file: Int) { (self.disk, self.file) = (disk, file) }

    deinit { close() }

    var name: String { "of a faulty disk" }

    func size() throws(JournalError) -> Int { disk.state.withLock { $0.files[file].bytes.count } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        disk.state.withLock { state in
            let size = state.files[file].bytes.count
            let count = max(min(buffer.count, size - offset), 0)
            state.files[file].bytes.withUnsafeBytes {
                if count > 0 {
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
                }
            }
            return count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        let written = Array(bytes)
        try disk.state.withLock { state throws(JournalError) in
            let wasOff = state.isOff
            do throws(JournalError) {
                try state.step(.write)
            } catch {
                // A part of the bytes may have been written.
                if !wasOff {
                    state.put(written.prefix(state.random.below(written.count + 1)), at: offset, file)
                }
                throw error
            }
            let growth = max(offset + written.count - state.files[file].bytes.count, 0)
            let fitting = written.dropLast(state.space.map { max(growth - $0, 0) } ?? 0)
            state.space = state.space.map { $0 - min(growth, $0) }
            state.put(fitting[...], at: offset, file)
            if fitting.count < written.count {
                state.failureCount += 1
                throw .noSpace
            }
        }
    }

    func synchronize() throws(JournalError) {
        try disk.state.withLock { state throws(JournalError) in
            let wasOff = state.isOff
            do throws(JournalError) {
                try state.step(.flush)
            } catch {
                if !wasOff { state.flushSome(file) }
                throw error
            }
            state.flushAll(file)
        }
    }

    func truncate(to size: Int) throws(JournalError) {
        try disk.state.withLock { state throws(JournalError) in
            try state.step(.truncate)
            let rest = state.files[file].bytes.count - size
            state.space = state.space.map { $0 + rest }
            state.files[file].bytes.removeLast(rest)
            state.files[file].versions = state.files[file].versions.filter {
                $0.key * FaultyDisk.sectorSize < size
            }
        }
    }

    func checkName() throws(JournalError) {
        if disk.state.withLock({ $0.named != file && $0.replaced.contains(file) }) { throw .displaced }
    }

    func makeReplacement() throws(JournalError) -> (any JournalDevice)? {
        try disk.state.withLock { state throws(JournalError) -> (any JournalDevice)? in
            try state.step(.make)
            state.files.append(FaultyDisk.File(bytes: [], platter: []))
            state.openCount += 1
            return FaultyDevice(disk, state.files.count - 1)
        }
    }

    func replace(by device: any JournalDevice) throws(JournalError) {
        guard let device = device as? FaultyDevice else { throw .permissionDenied }
        try disk.state.withLock { state throws(JournalError) in
            try state.step(.rename)
            state.replaced.insert(state.named)
            state.named = device.file
            state.renameCount += 1
            try state.step(.flushFolder)
            state.durablyNamed = device.file
        }
    }

    func synchronizeName() throws(JournalError) {
        try disk.state.withLock { state throws(JournalError) in
            try state.step(.flushFolder)
            if state.named == file { state.durablyNamed = file }
        }
    }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { disk.state.withLock { $0.openCount -= 1 } }
    }
}
