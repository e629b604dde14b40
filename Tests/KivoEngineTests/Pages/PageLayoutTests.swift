import XCTest

@testable import KivoEngine

final class PageLayoutTests: XCTestCase {
    private func length(_ length: UInt32, references: UInt32) -> Int? {
        var header = [UInt8](repeating: 0, count: PageLayout.headerSize)
        header.withUnsafeMutableBytes {
            $0.storeBytes(of: length.littleEndian, toByteOffset: PageLayout.lengthOffset, as: UInt32.self)
            $0.storeBytes(
                of: references.littleEndian, toByteOffset: PageLayout.referenceCountOffset, as: UInt32.self)
        }
        return header.withUnsafeBytes { PageLayout.length($0) }
    }

    func testLengthsThatNoPageHas() {
        XCTAssertEqual(length(24, references: 0), 24)
        XCTAssertEqual(length(40, references: 2), 40)
        XCTAssertEqual(length(1 << 31 - 8, references: 0), PageLayout.largestPage)
        for (bytes, references) in [
            (0, 0), (16, 0), (28, 0), (1 << 31, 0), (.max, 0), (.max & ~7, .max), (40, 3), (40, .max),
            (40, 1 << 29), (40, 1 << 31),
        ] as [(UInt32, UInt32)] {
            XCTAssertNil(length(bytes, references: references), "\(bytes) bytes, \(references) references")
        }
    }

    func testWhatReferencesHold() {
        XCTAssertGreaterThan(PageReference.offsetLimit, PageLayout.largestPage)
        let page = PageReference(file: 3, offset: (PageReference.offsetLimit - 1) & ~7)
        XCTAssertEqual(page.file, 3)
        XCTAssertEqual(page.offset, (PageReference.offsetLimit - 1) & ~7)
    }
}
