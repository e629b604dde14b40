import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// What the runs share.
enum Files {
    private static let number = Lock(0)

    private static func next() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }

    /// A configuration that has checkpoints and compactions all the time.
    static func configuration(_ url: URL, allowance: Int = 1 << 16) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: url, objectTypes: [FaultItem.self, FaultPart.self, FaultCounter.self])
        configuration.checkpoints.allowance = allowance
        configuration.checkpoints.smallestTail = 1 << 10
        configuration.checkpoints.smallestTailOfClosing = 1 << 10
        configuration.checkpoints.tailShare = 1 << 10
        configuration.checkpoints.chunkSize = 1 << 13
        return configuration
    }

    /// A configuration of a file on a disk in memory, which no other run sees.
    static func configuration(
        _ disk: FaultyDisk, allowance: Int = 1 << 16, verifies: Bool = false
    ) -> Realm.Configuration {
        let url = URL(fileURLWithPath: "/nowhere/faults \(next()).kivo")
        var configuration = configuration(url, allowance: allowance)
        configuration.makeDevice = { _, _ in disk.open() }
        configuration.verifiesOnOpening = verifies
        return configuration
    }

    /// Opens a realm, and returns when its file is closed after it.
    static func withRealm<Result>(
        _ disk: FaultyDisk, _ configuration: Realm.Configuration, _ body: (Realm) throws -> Result
    ) throws -> Result {
        let result = Swift.Result { try body(Realm(configuration: configuration)) }
        try wait { disk.openCount == 0 ? nil : "\(disk.openCount) devices of a disk" }
        return try result.get()
    }

    /// Waits until nothing is left of what a block names, for a while.
    static func wait(for remains: () -> String?) throws(StillThere) {
        let limit = ContinuousClock.now + .seconds(30)
        while let words = remains() {
            if ContinuousClock.now > limit { throw StillThere(words: words) }
            Thread.sleep(forTimeInterval: 0.0002)
        }
    }

    /// Something that should have been closed, and was not.
    struct StillThere: Error, CustomStringConvertible {
        let words: String
        var description: String { "\(words) are open still" }
    }

    /// What a file holds when it is read, and before that verified; throws what opening it throws.
    static func contents(_ bytes: [UInt8], verifies: Bool = true) throws -> Contents {
        let disk = FaultyDisk(bytes)
        return try withRealm(disk, configuration(disk, verifies: verifies)) { Contents($0) }
    }
}
