import Dispatch
import Foundation
import KivoEngine
import KivoJournal
import KivoLog
import Synchronization

/// The recording of a store's commits, and of the turns of the instances that observe it, in files of a folder. Thread-safe.
///
/// Files are written on a queue. What is recorded of a commit is enqueued in the order of versions, by the holder of the store's write
/// lock; a base comes before the commits after it. Turns name their versions, so that their order does not matter.
final class CapsuleRecording: Sendable {
    private let folder: URL
    /// The number of bytes of a file, without its base, after which another one is begun.
    private let sizeLimit: Int
    /// The number of files of the realm that are kept.
    private let count: Int
    /// The name of the realm and a number for its path, with which the names of its files begin.
    private let prefix: String
    private let queue = DispatchQueue(label: "kivo.recorder", qos: .utility)
    private static let isOnQueue = DispatchSpecificKey<Bool>()
    /// The file; used on the queue only.
    private let output = Lock(Output())
    private let placeCount = Atomic(0)
    /// The homes of instances, which each file names again.
    private let homes = Lock<[Int: String]>([:])
    /// Whether the next commit begins another file: the current one is full, or does not have all commits.
    private let needsBase = Atomic(false)
    /// Whether nothing is recorded any more, because writing failed.
    private let hasEnded = Atomic(false)
    /// The number of bases that wait to be written.
    private let waitingBases = Atomic(0)
    /// The number of bytes of commits that wait to be written.
    private let waiting = Atomic(0)
    /// The number of bytes that may wait before a commit waits for the disk, and how long it does.
    private static let (largestWait, longestWait) = (1 << 26, 10.0)

    private struct Output: ~Copyable {
        var file: FileHandle?
        var size = 0
        /// The version of the last commit in the file, or of its base.
        var version: UInt64 = 0
        /// Whether another file was asked for, and has not begun yet.
        var isSucceeded = false
    }

    init(folder: URL, sizeLimit: Int, count: Int, name: String) {
        (self.folder, self.sizeLimit, self.count) = (folder, sizeLimit, count)
        let last = name.split { $0 == "/" || $0 == "\\" }.last ?? "realm"
        let letters = last.unicodeScalars.prefix(60).map { scalar -> Character in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isPlain || scalar == "." ? Character(scalar) : "_"
        }
        let number = Array(name.utf8).withUnsafeBytes { Checksum.of($0, seed: UInt64($0.count)) }
        prefix = "\(String(letters))-\(String(number, radix: 36))-"
        queue.setSpecific(key: CapsuleRecording.isOnQueue, value: true)
    }

    /// Whether the next commit begins another file. True for one caller.
    var takesBase: Bool {
        needsBase.load(ordering: .relaxed)
            && needsBase.compareExchange(expected: true, desired: false, ordering: .relaxed).exchanged
    }

    /// Whether the base of a file is being written, or waits for that.
    var isWritingBase: Bool { waitingBases.load(ordering: .relaxed) > 0 }

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - contents: The capsule, without its base.
    ///   - checkpoint: The base, which is valid until `release` is called.
    func begin(
        _ contents: CapsuleContents, _ checkpoint: LogCheckpoint, release: @escaping @Sendable () -> Void
    ) {
        let homes = homes.withLock { $0 }
        waitingBases.add(1, ordering: .relaxed)
        queue.async { [self] in
            defer {
                waitingBases.subtract(1, ordering: .relaxed)
                release()
            }
            output.withLock { output in
                attempt(&output) { output in
                    try output.file?.close()
                    output.file = nil
                    let url = try makeFile(&output)
                    do {
                        try write(CapsuleContents.beginning + contents.header, &output)
                        try checkpoint.write { try write(CapsuleContents.frame(base: $0), &output) }
                        try write(CapsuleContents.frame(.begun), &output)
                    } catch {
                        try? FileManager.default.removeItem(at: url)
                        throw error
                    }
                    // Observers that observe already begin with the base.
                    for (place, home) in homes {
                        let mark = CapsuleContents.Mark(place: place, version: checkpoint.version)
                        try write(CapsuleContents.frame(place: place, home), &output)
                        try write(CapsuleContents.frame(mark), &output)
                    }
                    // The limit is for what comes after the base.
                    (output.size, output.version, output.isSucceeded) = (0, checkpoint.version, false)
                    removeOldFiles()
                }
            }
        }
    }

    /// Records a commit.
    func note(_ entry: LogEntry) {
        if hasEnded.load(ordering: .relaxed) { return }
        let size = entry.commit.payload.count
        let isMuch = waiting.add(size, ordering: .relaxed).newValue > CapsuleRecording.largestWait
        queue.async { [self] in
            waiting.subtract(size, ordering: .relaxed)
            output.withLock { output in
                guard output.file != nil, entry.version > output.version else { return }
                guard entry.version == output.version + 1, entry.commit.kind != .migration,
                    size < CapsuleContents.largestCommit
                else {
                    output.file = nil
                    return succeed(&output)
                }
                attempt(&output) { try write(CapsuleContents.frame(entry.version, entry.commit), &$0) }
                output.version = entry.version
                if output.size > sizeLimit { succeed(&output) }
            }
        }
        if isMuch { finish(atMost: CapsuleRecording.longestWait) }
    }

    /// Asks the next commit for another file, once.
    private func succeed(_ output: inout Output) {
        if output.isSucceeded { return }
        output.isSucceeded = true
        needsBase.store(true, ordering: .relaxed)
    }

    /// Returns the number of an instance that observes the realm.
    func addPlace(_ home: String) -> Int {
        let number = placeCount.add(1, ordering: .relaxed).newValue
        homes.withLock { $0[number] = home }
        append(CapsuleContents.frame(place: number, home))
        return number
    }

    func removePlace(_ number: Int) { homes.withLock { $0[number] = nil } }

    func note(_ mark: CapsuleContents.Mark) { append(CapsuleContents.frame(mark)) }

    /// Waits until everything is written, but no longer than some seconds, and not on the queue: a store may be released there after its
    /// base was written.
    func finish(atMost seconds: Double) {
        if DispatchQueue.getSpecific(key: CapsuleRecording.isOnQueue) != nil { return }
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + seconds)
    }

    private func append(_ bytes: [UInt8]) {
        if hasEnded.load(ordering: .relaxed) { return }
        queue.async { [self] in
            output.withLock { output in
                if output.file != nil { attempt(&output) { try write(bytes, &$0) } }
            }
        }
    }

    // MARK: Files

    /// Runs a body that writes. If it fails, the recording ends with a message.
    private func attempt(_ output: inout Output, _ body: (inout Output) throws -> Void) {
        if hasEnded.load(ordering: .relaxed) { return }
        do {
            try body(&output)
        } catch {
            output.file = nil
            hasEnded.store(true, ordering: .relaxed)
            let message = "The recording of a realm in '\(folder.path)', '\(prefix)', has ended: \(error)"
            // Elsewhere, because the logger is the program's, and a writer may wait for this queue.
            DispatchQueue.global(qos: .utility).async { Logger.shared.log(level: .warn, message: message) }
        }
    }

    private func write(_ bytes: [UInt8], _ output: inout Output) throws {
        try output.file?.write(contentsOf: bytes)
        output.size += bytes.count
    }

    private static let suffix = "." + CapsuleContents.fileExtension

    /// Creates a file.
    private func makeFile(_ output: inout Output) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let time = Date().formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeSeparator(.omitted))
        // No other file has the number, of this process or another one.
        let number = String(UInt32.random(in: 0 ... .max), radix: 36)
        let url = folder.appendingPathComponent(prefix + time + "-" + number + CapsuleRecording.suffix)
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        output.file = try FileHandle(forWritingTo: url)
        return url
    }

    /// Removes the oldest files of the realm. Their names contain the time.
    private func removeOldFiles() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let own = names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(CapsuleRecording.suffix) }
        for old in own.sorted().dropLast(count) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(old))
        }
    }
}

/// A realm instance in a recording.
struct RecordedPlace {
    /// The number of the instance.
    let number: Int
    /// The version of its last turn.
    var turn: UInt64?
}
