import KivoEngine
import XCTest

/// The way back from one version to the one before.
final class RowChangeSetInverseTests: XCTestCase {
    /// Following a change of a list and then its inverse leads back to the list.
    func testTheInverseOfSequenceChangesLeadsBack() {
        var random = TestRandom()
        for _ in 0..<2_000 {
            let old = (0..<random.below(8)).map { $0 }
            var (new, next) = (old, 100)
            var change = SequenceChange(oldCount: old.count)
            for _ in 0..<random.below(6) {
                switch random.below(6) {
                case 0, 1:
                    let index = random.below(new.count + 1)
                    new.insert(next, at: index)
                    next += 1
                    change.insert(at: index)
                case 2 where !new.isEmpty:
                    let index = random.below(new.count)
                    new.remove(at: index)
                    change.remove(at: index)
                case 3 where !new.isEmpty:
                    let (from, to) = (random.below(new.count), random.below(new.count))
                    new.insert(new.remove(at: from), at: to)
                    change.move(from: from, to: to)
                case 4 where !new.isEmpty: change.replace(at: random.below(new.count))
                case 5 where random.below(4) == 0:
                    new = []
                    change.removeAll()
                default: break
                }
            }
            let back = change.inverse
            back.checkInvariants()
            XCTAssertEqual([Int](arrayLiteral: back.oldCount, back.newCount), [new.count, old.count])
            var elements = new
            let told = back.resolve()
            for index in told.deletions.reversed() { elements.remove(at: index) }
            for index in told.insertions { elements.insert(old[index], at: index) }
            XCTAssertEqual(elements, old)
            for index in told.modifications { XCTAssertTrue(new.contains(old[index])) }
            XCTAssertEqual(back.inverse.newCount, change.newCount)
        }
    }
}
