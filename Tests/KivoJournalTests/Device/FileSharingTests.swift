#if !os(Windows) && !os(WASI)

import Foundation
import KivoEngine
import KivoJournal
import Synchronization
import XCTest

/// Which watchers are called when a process publishes where a shared file ends. Two devices stand for two processes.
final class FileSharingTests: XCTestCase {
    private var path = ""

    override func setUpWithError() throws {
        path = NSTemporaryDirectory() + "kivo-sharing-\(UUID().uuidString)"
    }

    override func tearDown() {
        for suffix in ["", FileDevice.sharingSuffix] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private static func end(_ sequence: UInt64) -> PublishedEnd {
        PublishedEnd(journal: 1, end: Int(sequence) * 100, sequence: sequence)
    }

    private func publish(_ sequence: UInt64, by device: FileDevice, to audience: PublicationAudience) throws {
        let sharing = device.sharing!
        try sharing.lock()
        sharing.publish(Self.end(sequence), to: audience)
        sharing.unlock()
    }

    /// Waits for what has to come.
    private func wait(until condition: () -> Bool) {
        let last = Date() + 120
        while !condition(), Date() < last { usleep(500) }
    }

    func testWhoPublishesToOthersIsNotCalled() throws {
        let (own, other) = (try FileDevice.shared(path), try FileDevice.shared(path))
        let (ownHeard, otherHeard) = (Heard(own), Heard(other))
        for sequence in 1...20 as ClosedRange<UInt64> {
            try publish(sequence, by: own, to: .others)
            wait { otherHeard.last >= sequence }
            XCTAssertEqual(otherHeard.last, sequence)
        }
        #if os(Linux)
        usleep(50_000)
        XCTAssertEqual(ownHeard.last, 0)
        #endif
        try publish(21, by: own, to: .everybody)
        wait { ownHeard.last >= 21 && otherHeard.last >= 21 }
        XCTAssertEqual(ownHeard.last, 21)
        XCTAssertEqual(otherHeard.last, 21)
        try publish(22, by: other, to: .others)
        wait { ownHeard.last >= 22 }
        XCTAssertEqual(ownHeard.last, 22, "who was silent once hears others")
    }

    /// A watch is of the file, not of its name.
    func testAFileThatLostItsNameIsHeardStill() throws {
        let (own, other) = (try FileDevice.shared(path), try FileDevice.shared(path))
        let (ownHeard, otherHeard) = (Heard(own), Heard(other))
        try FileManager.default.removeItem(atPath: path + FileDevice.sharingSuffix)
        for sequence in 1...3 as ClosedRange<UInt64> {
            try publish(sequence, by: own, to: .others)
            wait { otherHeard.last >= sequence }
            XCTAssertEqual(otherHeard.last, sequence)
        }
        try publish(4, by: other, to: .others)
        wait { ownHeard.last >= 4 }
        XCTAssertEqual(ownHeard.last, 4)
    }

    /// However fast both publish, each receives the last end of the other.
    func testNothingIsMissedWhileBothPublish() throws {
        let devices = try (0..<2).map { _ in try FileDevice.shared(path) }
        let heard = devices.map(Heard.init)
        let last = Lock([UInt64](repeating: 0, count: 2))
        DispatchQueue.concurrentPerform(iterations: 2) { place in
            let sharing = devices[place].sharing!
            for _ in 0..<3_000 {
                guard (try? sharing.lock()) != nil else { return XCTFail("locking") }
                let sequence = (sharing.published()?.sequence ?? 0) + 1
                sharing.publish(Self.end(sequence), to: .others)
                last.withLock { $0[place] = sequence }
                sharing.unlock()
            }
        }
        let ends = last.withLock { $0 }
        XCTAssertEqual(ends.max(), 6_000)
        for place in 0..<2 {
            let wanted = ends[1 - place]
            wait { heard[place].last >= wanted }
            XCTAssertGreaterThanOrEqual(heard[place].last, wanted)
        }
    }

    func testAWatchThatIsClosedIsNotCalled() throws {
        let (own, other) = (try FileDevice.shared(path), try FileDevice.shared(path))
        let (ownHeard, otherHeard) = (Heard(own), Heard(other))
        own.sharing!.close()
        try publish(1, by: own, to: .others)
        wait { otherHeard.last >= 1 }
        XCTAssertEqual(otherHeard.last, 1)
        XCTAssertEqual(ownHeard.last, 0)
    }
}

/// The newest end that a device was called for.
private final class Heard: Sendable {
    private let newest = Atomic<UInt64>(0)
    var last: UInt64 { newest.load(ordering: .sequentiallyConsistent) }

    init(_ device: FileDevice) {
        let sharing = device.sharing!
        sharing.watch { [weak self, weak sharing] in
            if let self, let end = sharing?.published() {
                self.newest.max(end.sequence, ordering: .sequentiallyConsistent)
            }
        }
    }
}

extension FileDevice {
    fileprivate static func shared(_ path: String) throws -> FileDevice {
        try FileDevice.open(path: path, isShared: true)
    }
}

#endif
