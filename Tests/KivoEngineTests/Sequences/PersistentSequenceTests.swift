import TestRandomness
import XCTest

@testable import KivoEngine

/// Sequences of all kinds of elements, compared with arrays, in several versions.
final class PersistentSequenceTests: XCTestCase {
    private typealias Kept = VersionedModel<PersistentSequence, [Cell]>

    private func check(_ sequence: PersistentSequence, _ model: [Cell], line: UInt = #line) {
        sequence.checkInvariants()
        var seen: [Cell] = []
        seen.reserveCapacity(model.count)
        sequence.forEach { seen.append($0) }
        guard seen == model, sequence.count == model.count else {
            return XCTFail("\(sequence.element): \(seen) is not \(model)", line: line)
        }
    }

    /// One random operation; `longest` bounds the length of inserted and removed runs.
    private func edit(
        _ sequence: inout PersistentSequence, _ model: inout [Cell], _ memory: WriteMemory,
        isGrowing: Bool, longest: Int, _ random: inout TestRandom
    ) {
        let kind = random.below(100)
        if model.isEmpty || kind < (isGrowing ? 55 : 20) {
            // Often at the end or at the front, where nodes are split differently.
            let position = [0, model.count, random.below(model.count + 1)][random.below(3)]
            let cells = (0...random.below(longest)).map { _ in random.element(sequence.element) }
            if random.chance(50) {
                sequence.insert(cells.count, at: position, memory) { cells[$0] }
            } else {
                for (offset, cell) in cells.enumerated() {
                    sequence.insert(cell, at: position + offset, memory)
                }
            }
            model.insert(contentsOf: cells, at: position)
        } else if kind < (isGrowing ? 65 : 60) {
            let position = random.below(model.count)
            let range = position..<position + 1 + random.below(min(longest, model.count - position))
            if random.chance(50) {
                sequence.remove(range, memory)
            } else {
                for _ in range { sequence.remove(at: position, memory) }
            }
            model.removeSubrange(range)
        } else if kind < 80 {
            let (position, cell) = (random.below(model.count), random.element(sequence.element))
            sequence.set(cell, at: position, memory)
            model[position] = cell
        } else if kind < 99 {
            let (source, target) = (random.below(model.count), random.below(model.count))
            sequence.move(from: source, to: target, memory)
            model.insert(model.remove(at: source), at: target)
        } else if random.chance(15) {
            sequence.removeAll(memory)
            model.removeAll()
        }
        XCTAssertEqual(sequence.count, model.count)
        guard !model.isEmpty else { return }
        let position = random.below(model.count)
        XCTAssertEqual(sequence.cell(at: position), model[position])
        XCTAssert(sequence.run(containing: position).range.contains(position))
    }

    private func run(_ element: ElementKind, transactions: Int, longest: Int, _ random: inout TestRandom) {
        var kept = Kept(PersistentSequence(root: nil, element: element), [])
        for step in 0..<transactions {
            kept.transact { sequence, model, memory in
                for _ in 0..<random.below(20) {
                    edit(
                        &sequence, &model, memory, isGrowing: step / 20 % 2 == 0, longest: longest, &random)
                    sequence.checkInvariants()
                }
                check(sequence, model)
                return random.chance(75)
            }
            while kept.versions.count > 1 + random.below(4) { kept.dropOldest() }
            for version in kept.versions { check(version.value, version.model) }
        }
        kept.destroy(random.pool) { [heap = kept.heap] in $0.destroy(heap) }
    }

    private func run(_ element: ElementKind, _ name: String = #function) {
        var random = TestRandom(name)
        for round in TestEffort.rounds(4, within: 0.09) {
            run(element, transactions: TestEffort.count(60, full: 150), longest: 3, &random)
            // Longer than several leaves, but with fewer transactions, because each sequence is compared as a whole.
            if round == 0 {
                run(element, transactions: TestEffort.count(20, full: 120), longest: 40, &random)
            }
        }
    }

    func testWords() { run(.word) }
    func testOptionalWords() { run(.optionalWord) }
    func testWides() { run(.wide) }
    func testOptionalWides() { run(.optionalWide) }
    func testStrings() { run(.string) }
    func testBytes() { run(.bytes) }
    func testLinks() { run(.link) }

    /// Runs of any length, of elements of every kind, into and out of sequences of up to three levels.
    func testLongRuns() {
        var random = TestRandom()
        for element in [ElementKind.word, .optionalWord, .wide, .optionalWide, .string, .bytes, .link] {
            var kept = Kept(PersistentSequence(root: nil, element: element), [])
            for step in TestEffort.rounds(16, within: 0.06, atLeast: 6) {
                kept.transact { sequence, model, memory in
                    for _ in 0..<3 {
                        let longest = [2, 130, 2_000, 9_000][random.below(element.isReference ? 3 : 4)]
                        let position = [0, model.count, random.below(model.count + 1)][random.below(3)]
                        if step % 8 < 5 {
                            let cells = (0..<random.below(longest)).map { _ in random.element(element) }
                            sequence.insert(cells.count, at: position, memory) { cells[$0] }
                            model.insert(contentsOf: cells, at: position)
                        } else {
                            let end = min(model.count, position + random.below(longest * 2))
                            sequence.remove(position..<end, memory)
                            model.removeSubrange(position..<end)
                        }
                        check(sequence, model)
                    }
                    return random.chance(75)
                }
                while kept.versions.count > 3 { kept.dropOldest() }
                for version in kept.versions { check(version.value, version.model) }
            }
            kept.destroy(random.pool) { [heap = kept.heap] in $0.destroy(heap) }
        }
    }

    /// A run costs the nodes that it fills or empties, wherever it is, and fills them.
    func testRunsCostTheirNodes() {
        for length in [10_000, 40_000] {
            var kept = Kept(PersistentSequence(root: nil, element: .word), [])
            kept.transact { sequence, _, memory in
                sequence.insert(length, at: 0, memory) { .word(UInt64($0)) }
                XCTAssertLessThan(memory.heap.liveBlockCount, length / 128 + length / 5_000 + 4)
                for position in [0, length / 3, length] {
                    let work = memory.work
                    sequence.insert(length, at: position, memory) { .word(UInt64($0)) }
                    XCTAssertLessThan(memory.work - work, length / 100)
                }
                for position in [0, length / 3, length] {
                    let work = memory.work
                    sequence.remove(position..<position + length, memory)
                    XCTAssertLessThan(memory.work - work, length / 50)
                }
                return false
            }
            kept.destroy { [heap = kept.heap] in $0.destroy(heap) }
        }
    }

    func testAMoveCostsTheSameHoweverFar() {
        var kept = Kept(PersistentSequence(root: nil, element: .word), [])
        kept.transact { sequence, _, memory in
            sequence.insert(100_000, at: 0, memory) { .word(UInt64($0)) }
            for (source, target) in [(50_000, 50_001), (10, 99_990), (99_990, 10), (0, 99_999)] {
                let work = memory.work
                sequence.move(from: source, to: target, memory)
                XCTAssertLessThan(memory.work - work, 10, "\(source) to \(target)")
            }
            return false
        }
        kept.destroy { [heap = kept.heap] in $0.destroy(heap) }
    }

    /// Small runs into the middle of full leaves do not leave nearly empty ones behind.
    func testSmallRunsKeepLeavesFilled() {
        var random = TestRandom()
        var kept = Kept(PersistentSequence(root: nil, element: .word), [])
        kept.transact { sequence, _, memory in
            for _ in 0..<5_000 {
                sequence.insert(2, at: random.below(sequence.count + 1), memory) { .word(UInt64($0)) }
            }
            var leaves = 0
            sequence.forEachRun { _, _ in
                leaves += 1
                return true
            }
            XCTAssertLessThan(leaves, sequence.count / 50)
            return false
        }
        kept.destroy { [heap = kept.heap] in $0.destroy(heap) }
    }

    /// So many elements that there are three levels of nodes, and then few again.
    func testManyElements() {
        var random = TestRandom()
        var kept = Kept(PersistentSequence(root: nil, element: .word), [])
        var highest = 0
        for step in 0..<12 {
            kept.transact { sequence, model, memory in
                for _ in 0..<8 {
                    let isGrowing = step < 6 || model.count < 100
                    let position = random.below(3) == 0 ? model.count : random.below(model.count + 1)
                    let count = isGrowing ? 500 : min(500, model.count - position)
                    let cells = (0..<count).map { Cell.word(UInt64($0)) }
                    for (offset, cell) in cells.enumerated() {
                        if isGrowing {
                            sequence.insert(cell, at: position + offset, memory)
                        } else {
                            sequence.remove(at: position, memory)
                        }
                    }
                    if isGrowing {
                        model.insert(contentsOf: cells, at: position)
                    } else {
                        model.removeSubrange(position..<position + count)
                    }
                    for _ in 0..<20 where !model.isEmpty {
                        let (source, target) = (random.below(model.count), random.below(model.count))
                        sequence.move(from: source, to: target, memory)
                        model.insert(model.remove(at: source), at: target)
                    }
                }
                highest = max(highest, sequence.root.map { SequenceNode(base: $0).level } ?? 0)
                check(sequence, model)
                return step % 4 != 3
            }
            if kept.versions.count > 2 { kept.dropOldest() }
            for version in kept.versions { check(version.value, version.model) }
        }
        XCTAssertGreaterThan(highest, 1)
        kept.destroy(random.pool) { [heap = kept.heap] in $0.destroy(heap) }
    }

    func testSortedElements() {
        var random = TestRandom()
        for element in [ElementKind.word, .optionalWord, .wide, .string, .bytes, .link] {
            var kept = Kept(PersistentSequence(root: nil, element: element), [])
            for _ in TestEffort.rounds(60, within: 0.06, atLeast: 10) {
                kept.transact { sequence, model, memory in
                    for _ in 0..<30 {
                        let cell = random.element(element)
                        let expected = model.firstIndex { !$0.isOrderedBefore(cell) } ?? model.count
                        let (position, isEqual) = sequence.lowerBound(cell)
                        XCTAssertEqual(position, expected)
                        XCTAssertEqual(isEqual, model.contains(cell))
                        XCTAssertEqual(sequence.firstIndex(of: cell), model.firstIndex(of: cell))
                        if isEqual, random.chance(40) {
                            sequence.remove(at: position, memory)
                            model.remove(at: position)
                        } else if !isEqual {
                            sequence.insert(cell, at: position, memory)
                            model.insert(cell, at: expected)
                        }
                    }
                    check(sequence, model)
                    return random.chance(75)
                }
            }
            for version in kept.versions { check(version.value, version.model) }
            kept.destroy(random.pool) { [heap = kept.heap] in $0.destroy(heap) }
        }
    }

    /// With several levels of inner nodes, and with equal elements that begin in one leaf and end in another.
    func testLowerBoundInTallSequences() {
        var random = TestRandom()
        for element in [ElementKind.link, .string, .word] {
            var kept = Kept(PersistentSequence(root: nil, element: element), [])
            func cell(_ number: Int) -> Cell {
                switch element {
                case .link: .link(ObjectKey(number + 1))
                case .word: .word(UInt64(bitPattern: Int64(number - 3000)))
                default: .string("the same beginning \(1_000_000 + number)\(number % 3 == 0 ? "" : "é")")
                }
            }
            var numbers: [Int] = []
            kept.transact { sequence, model, memory in
                var number = 0
                while numbers.count < 12_000 {
                    // Some elements occur in more than one leaf.
                    let count = random.chance(1) ? 300 : random.below(3)
                    for _ in 0..<count {
                        sequence.insert(cell(number), at: sequence.count, memory)
                        model.append(cell(number))
                        numbers.append(number)
                    }
                    number += 1
                }
                return true
            }
            let sequence = kept.newest.value
            XCTAssertGreaterThan(SequenceNode(base: sequence.root!).level, 1)
            for number in stride(from: 0, through: numbers.last! + 1, by: 1 + random.below(3)) {
                let expected = numbers.partitionPoint { $0 < number }
                let (position, isEqual) = sequence.lowerBound(cell(number))
                XCTAssertEqual(position, expected)
                XCTAssertEqual(isEqual, expected < numbers.count && numbers[expected] == number)
            }
            kept.destroy(random.pool) { [heap = kept.heap] in $0.destroy(heap) }
        }
    }

    /// Strings are ordered by their bytes, and so they are distinguished by their bytes.
    func testSortedStringsOfEqualCharacters() {
        let (composed, decomposed) = (Cell.string("\u{E9}"), Cell.string("e\u{301}"))
        for (present, absent) in [(composed, decomposed), (decomposed, composed)] {
            var kept = Kept(PersistentSequence(root: nil, element: .string), [])
            kept.transact { sequence, model, memory in
                sequence.insert(present, at: 0, memory)
                model.append(present)
                return true
            }
            XCTAssert(kept.newest.value.lowerBound(present).isEqual)
            XCTAssertFalse(kept.newest.value.lowerBound(absent).isEqual)
            kept.destroy { [heap = kept.heap] in $0.destroy(heap) }
        }
    }
}
