import KivoObserving
import XCTest

@testable import Kivo

/// The search for fields reads nothing behind an object.
final class FieldSearchTests: XCTestCase {
    private final class Holder {}

    private final class Subject {
        final var number = 7
        final var holder: Holder
        final var last = 1
        init(_ holder: Holder) { self.holder = holder }
    }

    private func search(_ subject: Subject, for holder: Holder) -> [Int]? {
        FieldSearch.positions(
            in: subject, from: 2 * MemoryLayout<Int>.size, of: [.holder(holder, make: Holder.init)]
        ) {
            [.holder(subject.holder, make: Holder.init)]
        }
    }

    func testAReferenceIsFoundWhereItIs() {
        let holder = Holder()
        let subject = Subject(holder)
        XCTAssertEqual(search(subject, for: holder), [3 * MemoryLayout<Int>.size])
        XCTAssertTrue(subject.holder === holder, "the object is as before")
    }

    func testAReferenceThatIsNotThereIsNotFound() {
        let subject = Subject(Holder())
        for _ in 0..<100 { XCTAssertNil(search(subject, for: Holder())) }
    }

    func testTheSizeOfInstances() {
        XCTAssertEqual(instanceSize(of: Holder.self), 2 * MemoryLayout<Int>.size)
        XCTAssertEqual(instanceSize(of: Subject.self), 5 * MemoryLayout<Int>.size)
    }
}
