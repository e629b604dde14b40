import Foundation
import Kivo
import KivoEngine
import KivoJournal
import KivoLog
import KivoTesting
import XCTest

/// What `CommitLog` promises, by the suite that anybody's log can be run against.
final class CommitLogTests: FileTestCase {
    private func run(_ suite: CommitLogSuite, line: UInt = #line) {
        for failure in suite.run() { XCTFail(failure, line: line) }
    }

    func testALogInMemory() {
        run(
            CommitLogSuite("memory") {
                let first = MemoryLog()
                return { MemoryLog(sharing: first) }
            })
    }

    func testALogInMemoryThatForgets() {
        run(
            CommitLogSuite("memory with checkpoints") {
                let first = MemoryLog(checkpointInterval: 7)
                return { MemoryLog(sharing: first) }
            })
    }

    func testTheFile() {
        let folder = file.deletingLastPathComponent()
        run(
            CommitLogSuite("file") {
                let path = folder.appendingPathComponent("\(UUID().uuidString).kivo").path
                return {
                    JournalLog(
                        try FileDevice.open(path: path, readOnly: false, isShared: true), readOnly: false)
                }
            })
    }

    func testTheFileWithManyCheckpoints() {
        let folder = file.deletingLastPathComponent()
        run(
            CommitLogSuite("file with checkpoints") {
                let path = folder.appendingPathComponent("\(UUID().uuidString).kivo").path
                var policy = CheckpointPolicy()
                policy.allowance = 1 << 15
                policy.smallestTail = 1 << 11
                policy.smallestTailOfClosing = 1
                policy.tailShare = 1 << 10
                return { [policy] in
                    JournalLog(
                        try FileDevice.open(path: path, readOnly: false, isShared: true), readOnly: false,
                        policy: policy)
                }
            })
    }

    func testALogThatLosesAnswersAndNews() {
        for _ in 0..<3 {
            run(
                CommitLogSuite("unreliable") {
                    let first = MemoryLog()
                    return { UnreliableLog(MemoryLog(sharing: first), seed: .random(in: 1 ... .max)) }
                })
        }
    }

    func testAnUnreliableLogThatForgets() {
        run(
            CommitLogSuite("unreliable with checkpoints") {
                let first = MemoryLog(checkpointInterval: 11)
                return { UnreliableLog(MemoryLog(sharing: first), seed: .random(in: 1 ... .max)) }
            })
    }

    /// The suite notices what logs do wrong.
    func testBrokenLogsAreFound() {
        for fault in FaultyLog.Fault.allCases {
            let suite = CommitLogSuite("\(fault)") {
                let first = MemoryLog()
                return { FaultyLog(MemoryLog(sharing: first), fault) }
            }
            var impatient = suite
            impatient.patience = 0.2
            XCTAssertNotEqual(impatient.run(), [], "\(fault)")
        }
    }

    func testBytesOfACommit() {
        let commit = EncodedCommit(.migration, [1, 2, 3], identity: .init(store: 7, number: .max))
        XCTAssertEqual(EncodedCommit(bytes: commit.bytes), commit)
        XCTAssertEqual(commit.bytes.count, 27)
        for place in [0, 1, 2, 7] {
            var bytes = commit.bytes
            bytes[place] = 77
            XCTAssertNil(EncodedCommit(bytes: bytes))
        }
        for count in 0..<24 { XCTAssertNil(EncodedCommit(bytes: Array(commit.bytes.prefix(count)))) }
    }
}
