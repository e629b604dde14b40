import XCTest

@testable import KivoJournal

/// When a checkpoint is made, at each limit and one byte before it.
final class CheckpointPolicyTests: XCTestCase {
    private let policy = CheckpointPolicy()

    func testAfterACommitTheTailHasToBeLarge() {
        let smallest = policy.smallestTail
        XCTAssertEqual(policy.need(tail: smallest - 1, size: smallest, isClosing: false), .none)
        XCTAssertEqual(policy.need(tail: smallest, size: smallest, isClosing: false), .checkpoint)
    }

    func testAfterACommitTheTailHasToBeAShareOfALargeFile() {
        let size = 1 << 30
        let share = size / policy.tailShare
        XCTAssertGreaterThan(share, policy.smallestTail)
        XCTAssertEqual(policy.need(tail: share - 1, size: size, isClosing: false), .none)
        XCTAssertEqual(policy.need(tail: share, size: size, isClosing: false), .checkpoint)
    }

    func testOnClosingASmallerTailSuffices() {
        let smallest = policy.smallestTailOfClosing
        XCTAssertLessThan(smallest, policy.smallestTail)
        XCTAssertEqual(policy.need(tail: smallest - 1, size: smallest, isClosing: true), .none)
        XCTAssertEqual(policy.need(tail: smallest, size: 1 << 30, isClosing: true), .checkpoint)
    }

    func testOnClosingALargeFileIsLookedAtIfItChanged() {
        let allowance = policy.allowance
        XCTAssertEqual(policy.need(tail: 0, size: allowance + 1, isClosing: true), .none)
        XCTAssertEqual(policy.need(tail: 1, size: allowance, isClosing: true), .none)
        XCTAssertEqual(policy.need(tail: 1, size: allowance + 1, isClosing: true), .ifLarge)
    }

    func testWithoutTimeThereIsNoneOnClosing() {
        var policy = policy
        policy.closingTimeLimit = .zero
        XCTAssertEqual(policy.need(tail: 1 << 30, size: 1 << 31, isClosing: true), .none)
        XCTAssertEqual(policy.need(tail: 1 << 30, size: 1 << 31, isClosing: false), .checkpoint)
    }

    /// The sizes ascend: a file that a checkpoint has extended is not compacted by the next one at once, nor on closing.
    func testSizesFromWhichAFileIsCompacted() {
        let live = 1 << 24
        XCTAssertEqual(policy.largestBefore(live: live), 2 * live + policy.allowance)
        XCTAssertEqual(policy.largestAfter(live: live), 5 * live / 2 + policy.allowance)
        XCTAssertEqual(policy.largestClosed(live: live), 3 * live + policy.allowance)
        XCTAssertEqual(policy.live(CheckpointBase(bytes: live, rows: 100), rows: 25), live / 4)
        XCTAssertEqual(policy.live(CheckpointBase(bytes: live, rows: 100), rows: 200), live)
    }
}
