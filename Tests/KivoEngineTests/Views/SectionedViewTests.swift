import TestRandomness
import XCTest

@testable import KivoEngine

/// Sections that follow random changes, compared with a new grouping of all elements.
final class SectionedViewTests: XCTestCase {
    private let heap = Heap()
    private let reader = ReaderState.allocate()
    private let table = TestCatalog.person
    private let catalog = TestCatalog.catalog

    deinit { reader.deallocate() }

    private func path(_ column: Int) -> ResolvedPath {
        var path = ResolvedPath(from: table)
        path.append(column, in: catalog)
        return path
    }

    /// Gives out the numbers of sections, as small as can be.
    private final class Numbers {
        private var numbers: [UInt64: Int] = [:]
        private var free: [Int] = []

        func number(_ key: UInt64) -> Int {
            if let known = numbers[key] { return known }
            let number = free.popLast() ?? numbers.count
            numbers[key] = number
            return number
        }

        func release(_ vanished: [Int]) {
            numbers = numbers.filter { !vanished.contains($0.value) }
            free += vanished
        }
    }

    /// The keys of sections and their rows, as a table view shows them.
    private struct Shown: Equatable {
        var sections: [[ObjectKey]] = []

        mutating func apply(_ change: SectionedChange, to new: [[ObjectKey]]) {
            for position in change.deletions.reversed() {
                XCTAssertFalse(change.sectionDeletions.contains(position.section))
                sections[position.section].remove(at: position.row)
            }
            for section in change.sectionDeletions.reversed() { sections.remove(at: section) }
            for section in change.sectionInsertions { sections.insert([], at: section) }
            for position in change.insertions {
                sections[position.section].insert(new[position.section][position.row], at: position.row)
            }
        }
    }

    private func sections(_ view: SectionedView) -> [[ObjectKey]] {
        (0..<view.sectionCount).map { section in
            let number = view.number(at: section)
            return (0..<view.count(ofNumber: number)).map { view.key(ofNumber: number, row: $0) }
        }
    }

    func testChangesOfSectionsAddUpAloneAndComposed() {
        var random = TestRandom()
        for isScattered in [false, true] {
            follow(&random, isScattered: isScattered)
        }
    }

    /// Follows random changes of persons in sections by a tenth of their age: in its order, or in that of another column.
    private func follow(_ random: inout TestRandom, isScattered: Bool) {
        var chain = VersionChain(heap: heap)
        let age = path(TestCatalog.Person.age)
        let query = RowQuery(
            .table(table),
            .test(.any, .path(age), .compare(.less, .word(90), .natural))
        ).followed(
            by: .sort([
                SortKey(
                    path(isScattered ? TestCatalog.Person.number : TestCatalog.Person.age), .natural,
                    isAscending: random.below(2) == 0)
            ]))
        let dependencies = Dependencies(query, catalog)
        let numbers = Numbers()
        var current = chain.pin(chain.head)
        var version = chain.head
        let tenth = { [table] (key: ObjectKey) -> Int in
            let row = current.table(table).row(key)!
            guard case .word(let age)? = age.cell(current, row) else { return numbers.number(.max) }
            return numbers.number(age / 10)
        }
        let view = SectionedView(
            query, current, catalog, dependencies,
            sectionDependencies: Dependencies(links: 0, from: table, catalog), number: tenth)
        var (shown, shownLate) = (Shown(), Shown())
        var pending: SectionedChange?
        var keys: [ObjectKey] = []
        for transaction in 1...UInt64(TestEffort.count(120, full: 400)) {
            let (old, oldVersion) = (current, version)
            let write = WriteTransaction(
                id: transaction, base: chain.headSnapshot, catalog: catalog, heap: heap, reader: reader)
            edit(write, &keys, &random, transaction: Int(transaction))
            let changes = write.changeSet()
            version = chain.append(write.commit(changes))
            current = chain.pin(version)
            let before = (0..<view.sectionCount).map { view.number(at: $0) }
            let (change, vanished) = view.update(
                ChangeTraversals(changes, current, catalog), old: old)
            view.checkInvariants(current, catalog)
            let after = (0..<view.sectionCount).map { view.number(at: $0) }
            numbers.release(vanished)
            let now = sections(view)
            for from in change.sectionDeletions {
                let to = change.sectionInsertions.first { after[$0] == before[from] }
                let isIntact = to.map { now[$0] == shown.sections[from] } ?? false
                XCTAssertEqual(change.intactMoves[from], isIntact ? to : nil, "seed \(random)")
            }
            shown.apply(change, to: now)
            XCTAssertEqual(shown.sections, now)
            pending = pending?.followed(by: change) ?? change
            if random.below(3) == 0, let composed = pending {
                for (from, to) in composed.intactMoves {
                    XCTAssertTrue(composed.sectionDeletions.contains(from))
                    XCTAssertTrue(composed.sectionInsertions.contains(to))
                    XCTAssertEqual(now[to], shownLate.sections[from], "seed \(random)")
                }
                shownLate.apply(composed, to: now)
                XCTAssertEqual(shownLate.sections, now)
                pending = nil
            }
            chain.unpin(oldVersion)
        }
        chain.unpin(version)
        chain.destroy(catalog)
    }

    private func edit(
        _ write: WriteTransaction, _ keys: inout [ObjectKey], _ random: inout TestRandom, transaction: Int
    ) {
        for _ in 0...random.below(transaction % 50 == 0 ? 60 : 6) {
            switch random.below(10) {
            case 0..<4:
                let key = write.insert(into: table)
                write.set(
                    .word(UInt64(400_000_000 + random.below(200_000_000))), table, key,
                    TestCatalog.Person.number)
                write.set(.word(UInt64(random.below(100))), table, key, TestCatalog.Person.age)
                keys.append(key)
            case 4, 5:
                if keys.isEmpty { continue }
                write.delete([keys.remove(at: random.below(keys.count))], from: table)
            default:
                if keys.isEmpty { continue }
                let key = keys[random.below(keys.count)]
                if random.below(3) == 0 {
                    // Often one before or after all others, so that sections are exchanged.
                    let distance = random.below(2) * 1_000_000 * transaction
                    let number = 500_000_000 + (random.below(2) == 0 ? distance : -distance)
                    write.set(.word(UInt64(number)), table, key, TestCatalog.Person.number)
                } else {
                    write.set(.word(UInt64(random.below(100))), table, key, TestCatalog.Person.age)
                }
            }
        }
    }

    func testNumbersOfTokens() {
        var random = TestRandom()
        var numbers = TokenNumbers()
        var model: [Int64: Int] = [:]
        for _ in 0..<20_000 {
            let token = Int64(random.below(3_000))
            if random.below(3) == 0 {
                numbers.remove(token)
                model[token] = nil
            } else {
                let number = random.below(50)
                numbers.set(token, to: number)
                model[token] = number
            }
            let other = Int64(random.below(3_000))
            XCTAssertEqual(numbers[other], model[other])
        }
    }
}
