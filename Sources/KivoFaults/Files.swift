import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// Configurations and helpers that all runs share.
enum Files {
    private static let number = Lock(0)

    private static func next() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }

    /// Returns a configuration with frequent checkpoints and compactions.
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

    /// Returns a configuration for a file on a disk in memory that no other run uses.
    static func configuration(
        _ disk: FaultyDisk, allowance: Int = 1 << 16, verifies: Bool = false
    ) -> Realm.Configuration {
        let url = URL(fileURLWithPath: "/nowhere/faults \(next()).kivo")
        var configuration = configuration(url, allowance: allowance)
        configuration.makeDevice = { _, _ in disk.open() }
        configuration.verifiesOnOpening = verifies
        return configuration
    }

    /// Opens a realm, and returns when its file is closed.
    static func withRealm<Result>(
        _ disk: FaultyDisk, _ configuration: Realm.Configuration, _ body: (Realm) throws -> Result
    ) throws -> Result {
        let result = Swift.Result { try body(Realm(configuration: configuration)) }
        try wait { disk.openCount == 0 ? nil : "\(disk.openCount) devices of a disk" }
        return try result.get()
    }

    /// Waits until a closure returns nil, for at most 30 seconds.
    static func wait(for remains: () -> String?) throws(StillThere) {
        let limit = ContinuousClock.now + .seconds(30)
        while let words = remains() {
            if ContinuousClock.now > limit { throw StillThere(words: words) }
            Thread.sleep(forTimeInterval: 0.0002)
        }
    }

    /// An error for devices that are still open.
    struct StillThere: Error, CustomStringConvertible {
        let words: String
        var description: String { "\(words) are open still" }
    }

    /// Returns the contents of a file, which is verified first by default. Rethrows errors of opening it.
    static func contents(_ bytes: [UInt8], verifies: Bool = true) throws -> Contents {
        let disk = FaultyDisk(bytes)
        return try withRealm(disk, configuration(disk, verifies: verifies)) { Contents($0) }
    }
}
