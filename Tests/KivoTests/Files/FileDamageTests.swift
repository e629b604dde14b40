import Foundation
import Kivo
import XCTest

/// Files whose bytes are not those that were written.
final class FileDamageTests: FileTestCase {
    private let names = ["a", "b", "c", "d", "e", "f"]

    private func refuse(_ data: Data, line: UInt = #line) throws {
        try data.write(to: file)
        assertError(.invalidDatabase, line: line) { _ = try Realm(configuration: configuration) }
        XCTAssertEqual(try Data(contentsOf: file), data, "a refused file was touched", line: line)
    }

    func testAcknowledgedCommitsAtTheEndAreNotCutOff() throws {
        try commit(names)
        let whole = try Data(contentsOf: file)
        let bounds = whole.recordBounds
        XCTAssertEqual(bounds.count, names.count + 1)
        var random = RandomSource()
        for first in 0..<names.count {
            var overwritten = whole
            for position in bounds[first]..<bounds.last! { overwritten[position] = UInt8(random.below(256)) }
            try refuse(overwritten)
            var zeroed = whole
            zeroed.resetBytes(in: bounds[first]..<bounds.last!)
            try refuse(zeroed)
        }
        for sector in bounds[0] / 512...bounds.last! / 512 {
            var zeroed = whole
            zeroed.resetBytes(in: sector * 512..<(sector + 1) * 512)
            try refuse(zeroed)
        }
        try whole.write(to: file)
        XCTAssertEqual(try names(), names)
    }

    func testWhatACrashLeftIsCutOffAndReported() throws {
        try commit(names)
        let bounds = try Data(contentsOf: file).recordBounds
        var torn = try Data(contentsOf: file).withoutMark
        torn[bounds[5] + 40] ^= 1
        try torn.write(to: file)
        // It says that the record was acknowledged, too.
        try FileManager.default.removeItem(atPath: file.path + ".lock")
        let told = Shared<[Realm.Recovery]>([])
        var configuration = configuration
        configuration.recoveryHandler = { recovery in told.update { $0.append(recovery) } }

        var readOnly = configuration
        readOnly.readOnly = true
        XCTAssertEqual(try names(readOnly), Array(names.dropLast()))
        XCTAssertEqual(try Data(contentsOf: file), torn)
        XCTAssertEqual(told.value.map(\.isReadOnly), [true])

        try withRealm(configuration) { realm in
            XCTAssertEqual(told.value.count, 2)
            let recovery = told.value[1]
            XCTAssertEqual(recovery.fileURL.path, file.path)
            XCTAssertEqual(recovery.discardedBytes, bounds[5]..<bounds[6])
            XCTAssertFalse(recovery.isHeaderDamaged || recovery.isReadOnly)
            XCTAssert(recovery.description.contains("\(bounds[5]) to \(bounds[6])"), "\(recovery)")
            // Told once for a file that is open.
            try onAnotherThread { [configuration] in _ = try Realm(configuration: configuration) }
            XCTAssertEqual(told.value.count, 2)
            try realm.write { realm.add(Dog(value: ["name": "g"])) }
        }
        XCTAssertEqual(try names(configuration), ["a", "b", "c", "d", "e", "g"])
        XCTAssertEqual(told.value.count, 2)
    }

    func testABitInTheHeaderIsMended() throws {
        try commit(names)
        let whole = try Data(contentsOf: file)
        let told = Shared<[Realm.Recovery]>([])
        var configuration = configuration
        configuration.recoveryHandler = { recovery in told.update { $0.append(recovery) } }
        for position in [70, 600, 2200, 4000, 4170, 4700, 7000] {
            var data = whole
            data[position] ^= 4
            try data.write(to: file)
            XCTAssertEqual(try names(configuration), names)
            XCTAssertEqual(told.value, [])
        }
        for position in [0, 9, 17, 30, 60, 2048, 2070, 4096, 4120, 6144, 6200] {
            var data = whole
            data[position] ^= 4
            try data.write(to: file)
            XCTAssertEqual(try names(configuration), names)
            XCTAssertEqual(told.value.map(\.isHeaderDamaged), [true], "\(position)")
            told.update { $0 = [] }
            XCTAssertEqual(try Data(contentsOf: file), whole)
        }
    }
}
