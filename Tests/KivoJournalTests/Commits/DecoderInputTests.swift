import Foundation
import TestRandomness
import XCTest

@testable import KivoEngine
@testable import KivoJournal

/// The inputs that the fuzzer of the decoders begins with, and changed ones: none may trap or leave memory behind.
final class DecoderInputTests: XCTestCase {
    private func inputs() throws -> [[UInt8]] {
        let folder = try XCTUnwrap(
            Bundle.module.url(forResource: "Decoders", withExtension: nil, subdirectory: "Resources"))
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }.map { [UInt8](try Data(contentsOf: $0)) }
    }

    func testInputsAreFiles() throws {
        let inputs = try inputs()
        XCTAssertGreaterThan(inputs.count, 10)
        var kinds: Set<UInt8> = []
        for input in inputs {
            let file = DecoderInput(input)
            kinds.formUnion(file.records.map(\.kind))
            XCTAssertFalse(file.records.isEmpty)
            DecoderInput.decode(input)
        }
        // Commits, pages, checkpoints and migrations.
        XCTAssertTrue(kinds.isSuperset(of: [1, 3, 4, 5]))
    }

    func testChangedInputs() throws {
        var random = TestRandom()
        for input in TestEffort.cases(try inputs()) {
            for _ in 0..<20 {
                var changed = input
                for _ in 0...random.below(3) {
                    changed[random.below(changed.count)] = UInt8(random.below(256))
                }
                DecoderInput.decode(changed)
            }
        }
    }
}
