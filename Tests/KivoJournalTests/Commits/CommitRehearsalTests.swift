#if DEBUG
import Testing
import XCTest

@testable import KivoEngine
@testable import KivoJournal

/// Debug builds find that an encoded commit differs from the committed changes.
final class CommitRehearsalTests: XCTestCase {
    private enum Column {
        static let count = 0
        static let name = 1
        static let value = 2
        static let other = 3
        static let scores = 4
        static let tags = 5
        static let others = 6
        static let id = 7
    }

    private static let catalog: Catalog = {
        var catalog = Catalog()
        let thing = catalog.declare("Thing", isEmbedded: false)
        catalog.define(
            thing,
            columns: [
                ColumnSpec(name: "count", kind: .word, isOptional: true),
                ColumnSpec(name: "name", kind: .string, isOptional: true, isIndexed: true),
                ColumnSpec(name: "value", kind: .any, isOptional: true),
                ColumnSpec(name: "other", kind: .link, target: thing),
                ColumnSpec(name: "scores", kind: .sequence, element: .optionalWord),
                ColumnSpec(name: "tags", kind: .sequence, element: .string, order: .sorted),
                ColumnSpec(name: "others", kind: .sequence, element: .link, target: thing),
                ColumnSpec(name: "id", kind: .word, isPrimaryKey: true),
            ])
        return catalog
    }()

    private typealias Edit = (WriteTransaction) -> Void

    /// Commits an edit of three rows, and encodes another edit in its place; returns in words what the rehearsal finds.
    private func difference(_ committed: Edit, encoded: Edit) throws -> String? {
        let (heap, catalog) = (Heap(), CommitRehearsalTests.catalog)
        var chain = VersionChain(heap: heap)
        defer {
            chain.destroy(catalog)
            XCTAssertEqual(heap.liveBlockCount, 0, "the rehearsal leaves something behind")
        }
        var numbers = TableNumbers()
        _ = chain.append(
            WriteTransaction.perform(id: 1, on: chain.headSnapshot, catalog, heap) { transaction in
                for key in 1...3 {
                    transaction.insert(into: 0, at: ObjectKey(key))
                    transaction.set(.word(UInt64(key)), 0, ObjectKey(key), Column.id)
                    transaction.set(
                        .string("a name of more than fifteen bytes"), 0, ObjectKey(key), Column.name)
                }
                transaction.insertElements(
                    (0..<600).map { .word($0) }, at: 0, into: id(1, Column.scores))
                transaction.insertElements([.string("a"), .string("b")], at: 0, into: id(1, Column.tags))
                transaction.insertElements([.link(2), .link(3)], at: 0, into: id(1, Column.others))
                let changes = transaction.changeSet()
                var encoder = CommitEncoder(transaction.snapshot, catalog, numbers: numbers)
                _ = encoder.encode(changes)
                numbers = encoder.numbers
                return changes
            })
        var payload: [UInt8] = []
        struct Undone: Error {}
        XCTAssertThrowsError(
            try WriteTransaction.perform(id: 2, on: chain.headSnapshot, catalog, heap) { transaction in
                encoded(transaction)
                var encoder = CommitEncoder(transaction.snapshot, catalog, numbers: numbers)
                payload = encoder.encode(transaction.changeSet())
                throw Undone()
            })
        var difference: String?
        _ = chain.append(
            try WriteTransaction.perform(id: 3, on: chain.headSnapshot, catalog, heap) { transaction in
                committed(transaction)
                let changes = transaction.changeSet()
                difference = try CommitRehearsal.difference(
                    payload, CommitComparison(transaction, changes), numbers: numbers)
                return changes
            })
        return difference
    }

    private func id(_ key: ObjectKey, _ column: Int) -> CollectionID {
        CollectionID(table: 0, column: column, key: key)
    }

    /// Edits of all kinds, and what is said if one of them is not encoded.
    private var edits: [(edit: Edit, words: String)] {
        [
            ({ $0.set(.word(7), 0, 1, Column.count) }, "'Thing.count' of row 1"),
            ({ $0.set(.word(0), 0, 2, Column.count) }, "'Thing.count' of row 2"),
            ({ $0.set(.string("other"), 0, 1, Column.name) }, "'Thing.name' of row 1"),
            ({ $0.set(.null, 0, 1, Column.name) }, "'Thing.name' of row 1"),
            ({ $0.set(.typedWord(1, .int), 0, 3, Column.value) }, "'Thing.value' of row 3"),
            ({ $0.set(.link(2), 0, 1, Column.other) }, "Thing"),
            ({ $0.removeElements(599..<600, from: self.id(1, Column.scores)) }, "'Thing.scores' of row 1"),
            (
                { $0.insertElements([.null], at: 300, into: self.id(1, Column.scores)) },
                "'Thing.scores' of row 1"
            ),
            ({ $0.removeAllElements(from: self.id(1, Column.tags)) }, "'Thing.tags' of row 1"),
            (
                {
                    $0.insertElements(
                        [.string("c")], at: $0.sequence(self.id(1, Column.tags)).count,
                        into: self.id(1, Column.tags))
                },
                "'Thing.tags' of row 1"
            ),
            ({ $0.removeElements(0..<1, from: self.id(1, Column.others)) }, "Thing"),
            ({ $0.delete([2], from: 0) }, "Thing"),
            ({ $0.set(.word(9), 0, $0.insert(into: 0), Column.id) }, "Thing"),
        ]
    }

    func testACommitThatIsEncodedAsItIs() throws {
        for index in edits.indices {
            XCTAssertNil(try difference(edits[index].edit, encoded: edits[index].edit), "edit \(index)")
        }
        let all: Edit = { transaction in for (edit, _) in self.edits { edit(transaction) } }
        XCTAssertNil(try difference(all, encoded: all))
    }

    /// Whatever is left out, or is there too much, is found.
    func testACommitThatIsEncodedAsAnother() throws {
        for (index, (edit, words)) in edits.enumerated() {
            for (committed, encoded) in [(edit, { _ in }), ({ _ in }, edit)] as [(Edit, Edit)] {
                let found = try difference(
                    { transaction in
                        transaction.set(.word(40), 0, 3, Column.count)
                        committed(transaction)
                    },
                    encoded: { transaction in
                        transaction.set(.word(40), 0, 3, Column.count)
                        encoded(transaction)
                    })
                XCTAssert(found?.contains(words) == true, "edit \(index): \(found ?? "nothing")")
            }
        }
    }

    /// Elements in another order, and values in another row.
    func testACommitThatIsEncodedWithOthersInItsPlace() throws {
        let pairs: [(Edit, Edit)] = [
            ({ $0.set(.word(1), 0, 1, Column.count) }, { $0.set(.word(1), 0, 2, Column.count) }),
            (
                { $0.insertElements([.word(1), .word(2)], at: 0, into: self.id(2, Column.scores)) },
                { $0.insertElements([.word(2), .word(1)], at: 0, into: self.id(2, Column.scores)) }
            ),
            (
                { $0.insertElements([.null], at: 0, into: self.id(2, Column.scores)) },
                { $0.insertElements([.word(0)], at: 0, into: self.id(2, Column.scores)) }
            ),
            ({ $0.set(.link(1), 0, 3, Column.other) }, { $0.set(.link(2), 0, 3, Column.other) }),
            ({ $0.set(.string(""), 0, 1, Column.name) }, { $0.set(.null, 0, 1, Column.name) }),
        ]
        for (index, (committed, encoded)) in pairs.enumerated() {
            XCTAssertNotNil(try difference(committed, encoded: encoded), "pair \(index)")
        }
    }
}

#if compiler(>=6.2)
struct CommitRehearsalTrapTests {
    @Test func aCommitThatCannotBeReadTraps() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let heap = Heap()
            let chain = VersionChain(heap: heap)
            _ = WriteTransaction.perform(id: 1, on: chain.headSnapshot, Catalog(), heap) { transaction in
                let changes = transaction.changeSet()
                CommitRehearsal.check(
                    [0, 1, 9], CommitComparison(transaction, changes), numbers: TableNumbers())
                return changes
            }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        for words in ["cannot be read", "unknown table", "KIVO_REHEARSE=0"] {
            #expect(text.contains(words), "\(text)")
        }
    }
}
#endif
#endif
