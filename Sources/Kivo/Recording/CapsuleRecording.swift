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
    /// The name of the realm, with which those of the files begin.
    private let name: String
    private let schemaVersion: UInt64
    private let queue = DispatchQueue(label: "kivo.recorder", qos: .utility)
    private static let isOnQueue = DispatchSpecificKey<Bool>()
    /// The file; used on the queue only.
    private let output = Lock(Output())
    private let placeCount = Atomic(0)
    /// The homes of instances, which each file names again.
    private let homes = Lock<[Int: String]>([:])
    /// Whether the next commit begins another file: the current one is full, or does not have all commits.
    private let needsBase = Atomic(false)
    /// The number of bytes that wait to be written.
    private let waiting = Atomic(0)
    /// The number of bytes that may wait before a commit waits for the disk.
    private static let largestWait = 1 << 26

    private struct Output: ~Copyable {
        var file: FileHandle?
        var size = 0
        /// The version of the last commit in the file, or of its base.
        var version: UInt64 = 0
        var fileCount = 0
    }

    init(folder: URL, sizeLimit: Int, count: Int, name: String, schemaVersion: UInt64) {
        (self.folder, self.sizeLimit, self.count) = (folder, sizeLimit, count)
        self.schemaVersion = schemaVersion
        let last = name.split { $0 == "/" || $0 == "\\" }.last ?? "realm"
        self.name = String(
            last.prefix(80).map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" })
        queue.setSpecific(key: CapsuleRecording.isOnQueue, value: true)
    }

    /// Whether the next commit begins another file. True for one caller.
    var takesBase: Bool {
        needsBase.load(ordering: .relaxed)
            && needsBase.compareExchange(expected: true, desired: false, ordering: .relaxed).exchanged
    }

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - log: The number of the log.
    ///   - checkpoint: The base, which is valid until `release` is called.
    func begin(log: UInt64, _ checkpoint: LogCheckpoint, release: @escaping @Sendable () -> Void) {
        let homes = homes.withLock { $0 }
        queue.async { [self] in
            defer { release() }
            output.withLock { output in
                attempt(&output) { output in
                    try output.file?.close()
                    output.file = nil
                    output.file = try makeFile(&output)
                    let contents = CapsuleContents(
                        log: log, schemaVersion: schemaVersion, baseVersion: checkpoint.version)
                    try write(CapsuleContents.beginning + contents.header, &output)
                    try checkpoint.write { try write(CapsuleContents.frame(base: $0), &output) }
                    try write(CapsuleContents.frame(.begun), &output)
                    // Observers that observe already begin with the base.
                    for (place, home) in homes {
                        let mark = CapsuleContents.Mark(place: place, version: checkpoint.version)
                        try write(CapsuleContents.frame(place: place, home), &output)
                        try write(CapsuleContents.frame(mark), &output)
                    }
                    // The limit is for what comes after the base.
                    (output.size, output.version) = (0, checkpoint.version)
                }
            }
        }
    }

    /// Records a commit.
    func note(_ entry: LogEntry) {
        let bytes = CapsuleContents.frame(entry.version, entry.commit)
        let isMigration = entry.commit.kind == .migration
        let isMuch =
            waiting.add(bytes.count, ordering: .relaxed).newValue > CapsuleRecording.largestWait
        queue.async { [self] in
            waiting.subtract(bytes.count, ordering: .relaxed)
            output.withLock { output in
                guard output.file != nil, entry.version > output.version else { return }
                guard entry.version == output.version + 1, !isMigration else {
                    output.file = nil
                    return needsBase.store(true, ordering: .relaxed)
                }
                attempt(&output) { try write(bytes, &$0) }
                output.version = entry.version
                if output.size > sizeLimit { needsBase.store(true, ordering: .relaxed) }
            }
        }
        if isMuch { finish() }
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

    /// Waits until everything is written, unless this code runs on the queue: a store whose base was written may be released there.
    func finish() { if DispatchQueue.getSpecific(key: CapsuleRecording.isOnQueue) == nil { queue.sync {} } }

    private func append(_ bytes: [UInt8]) {
        queue.async { [self] in
            output.withLock { output in
                if output.file != nil { attempt(&output) { try write(bytes, &$0) } }
            }
        }
    }

    // MARK: Files

    /// Runs a body that writes. If it fails, the recording ends with a message.
    private func attempt(_ output: inout Output, _ body: (inout Output) throws -> Void) {
        do {
            try body(&output)
        } catch {
            output.file = nil
            Logger.shared.log(
                level: .warn,
                message: "The recording of realm '\(name)' in '\(folder.path)' has ended: \(error)")
        }
    }

    private func write(_ bytes: [UInt8], _ output: inout Output) throws {
        try output.file?.write(contentsOf: bytes)
        output.size += bytes.count
    }

    private static let fileExtension = "kivocapsule"

    /// Creates a file, and removes the oldest ones of the realm.
    private func makeFile(_ output: inout Output) throws -> FileHandle {
        output.fileCount += 1
        let manager = FileManager.default
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        removeOldFiles()
        let time = Date().formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeSeparator(.omitted))
        let process = ProcessInfo.processInfo.processIdentifier
        let url = folder.appendingPathComponent(
            "\(name)-\(time)-\(process)-\(output.fileCount).\(CapsuleRecording.fileExtension)")
        guard manager.createFile(atPath: url.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        return try FileHandle(forWritingTo: url)
    }

    private func removeOldFiles() {
        let manager = FileManager.default
        let names = (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
        // The names contain the time.
        let own = names.filter {
            $0.hasPrefix(name + "-") && $0.hasSuffix("." + CapsuleRecording.fileExtension)
        }.sorted()
        for old in own.dropLast(max(0, count - 1)) {
            try? manager.removeItem(at: folder.appendingPathComponent(old))
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
