import TestRandomness
import XCTest

@testable import Kivo

/// Sets of scalars, against memberships that are computed one by one.
final class ScalarSetTests: XCTestCase {
    private func scan(_ isMember: (Unicode.Scalar) -> Bool) -> ScalarSet {
        ScalarSet(
            (0..<ScalarSet.end).compactMap { Unicode.Scalar($0) }.filter(isMember).map { $0.value...$0.value }
        )
    }

    func testOperations() {
        var generator = RandomSource()
        let edges: [UInt32] = [0, 1, 2, 3, 4, 5, 0x10FFFE, 0x10FFFF]
        func random() -> ScalarSet {
            ScalarSet(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    let bounds = (0..<2).map { _ in edges.randomElement(using: &generator)! }.sorted()
                    return bounds[0]...bounds[1]
                })
        }
        for _ in TestEffort.rounds(5000) {
            let (left, right) = (random(), random())
            for edge in edges {
                let (inLeft, inRight) = (left.contains(edge), right.contains(edge))
                XCTAssertEqual(left.union(right).contains(edge), inLeft || inRight)
                XCTAssertEqual(left.intersection(right).contains(edge), inLeft && inRight)
                XCTAssertEqual(left.subtracting(right).contains(edge), inLeft && !inRight)
                XCTAssertEqual(left.symmetricDifference(right).contains(edge), inLeft != inRight)
                XCTAssertEqual(left.complement.contains(edge), !inLeft)
            }
            XCTAssertEqual(ScalarSet(left.ranges), left)
            XCTAssertEqual(left.complement.complement, left)
            XCTAssertEqual(left.union(left.complement), .all)
        }
    }

    /// Planes that are not scanned have the same properties throughout.
    func testScanning() {
        let tests: [@Sendable (Unicode.Scalar.Properties) -> Bool] = [
            \.isAlphabetic, \.isIDContinue, \.isIdeographic, \.isUnifiedIdeograph,
            \.isDefaultIgnorableCodePoint, \.isGraphemeBase, \.isGraphemeExtend, \.isNoncharacterCodePoint,
            \.isVariationSelector, \.changesWhenNFKCCaseFolded, \.isDeprecated, { $0.numericType != nil },
            { $0.generalCategory == .unassigned }, { $0.generalCategory == .privateUse },
            { $0.generalCategory == .format },
        ]
        for test in TestEffort.cases(tests, within: 1) {
            let scanned = scan { test($0.properties) }
            XCTAssertEqual(ScalarSet { test($0.properties) }, scanned)
        }
    }

    /// Folding agrees with lowercase mappings for every scalar.
    func testFolding() {
        let scalars = (0..<ScalarSet.end).compactMap { Unicode.Scalar($0) }
        let cased = scalars.filter { $0.properties.isCased || $0.properties.changesWhenLowercased }
        let groups = Dictionary(grouping: cased) { $0.properties.lowercaseMapping }
        for scalar in cased {
            let group = groups[scalar.properties.lowercaseMapping]!
            XCTAssertEqual(
                ScalarSet([scalar.value...scalar.value]).foldingCase,
                ScalarSet(group.map { $0.value...$0.value }),
                "\(scalar)")
        }
        XCTAssertEqual(ScalarSet.all.foldingCase, .all)
        XCTAssertEqual(ScalarSet([0x1F000...0x10FFFF]).foldingCase, ScalarSet([0x1F000...0x10FFFF]))
    }
}
