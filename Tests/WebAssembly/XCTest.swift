// The names are those of XCTest.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Synchronization

/// The part of XCTest that the engine's random tests use, where there is no XCTest: Embedded Swift.
///
/// Each assertion is a check, and is counted.
open class XCTestCase {
    public init() {}

    open func setUp() {}
}

@_extern(c, "exit")
private func exit(_ status: Int32)

/// The checks of this process.
public enum Checks {
    private static let made = Atomic<Int>(0)
    private static let failed = Atomic<Int>(0)

    /// The number of assertions that were made.
    private static var count: Int { made.load(ordering: .relaxed) }
    /// The number of assertions that did not hold.
    private static var failures: Int { failed.load(ordering: .relaxed) }

    /// Runs a test and prints how many checks it made.
    public static func run<Test: XCTestCase>(_ name: String, _ test: Test, _ body: (Test) -> Void) {
        let before = (count, failures)
        test.setUp()
        body(test)
        print("\(name): \(count - before.0) checks, \(failures - before.1) failures")
    }

    /// Prints the sums; the process fails if a check did, or if there are far fewer than the tests make.
    public static func finish() {
        print("wasm: \(count) checks, \(failures) failures")
        exit(failures > 0 || count < 1_000_000 ? 1 : 0)
    }

    /// Counts an assertion, and prints it if it does not hold.
    static func record(_ holds: Bool, _ message: () -> String, _ file: StaticString, _ line: UInt) {
        made.add(1, ordering: .relaxed)
        if holds { return }
        failed.add(1, ordering: .relaxed)
        if failures <= 20 { print("\(file):\(line): failed: \(message())") }
    }
}

public func XCTAssert(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    Checks.record(condition(), message, file, line)
}

public func XCTAssertTrue(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    Checks.record(condition(), message, file, line)
}

public func XCTAssertFalse(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    Checks.record(!condition(), message, file, line)
}

public func XCTAssertNil<Value>(
    _ value: @autoclosure () -> Value?, _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    let isNil = if case .none = value() { true } else { false }
    Checks.record(isNil, message, file, line)
}

public func XCTAssertEqual<Value: Equatable>(
    _ first: @autoclosure () -> Value, _ second: @autoclosure () -> Value,
    _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    Checks.record(first() == second(), message, file, line)
}

public func XCTAssertLessThan<Value: Comparable>(
    _ first: @autoclosure () -> Value, _ second: @autoclosure () -> Value,
    _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    Checks.record(first() < second(), message, file, line)
}

public func XCTAssertGreaterThan<Value: Comparable>(
    _ first: @autoclosure () -> Value, _ second: @autoclosure () -> Value,
    _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    Checks.record(first() > second(), message, file, line)
}

public func XCTAssertNotEqual<Value: Equatable>(
    _ first: @autoclosure () -> Value, _ second: @autoclosure () -> Value,
    _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    Checks.record(first() != second(), message, file, line)
}

public func XCTAssertGreaterThanOrEqual<Value: Comparable>(
    _ first: @autoclosure () -> Value, _ second: @autoclosure () -> Value,
    _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    Checks.record(first() >= second(), message, file, line)
}

public func XCTAssertNotNil<Value>(
    _ value: @autoclosure () -> Value?, _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, line: UInt = #line
) {
    let isThere = if case .some = value() { true } else { false }
    Checks.record(isThere, message, file, line)
}

public func XCTFail(_ message: String = "", file: StaticString = #filePath, line: UInt = #line) {
    Checks.record(false, { message }, file, line)
}

extension DefaultStringInterpolation {
    /// Stands for a value that Embedded Swift cannot put into words.
    public mutating func appendInterpolation<Value>(_ value: Value) { appendLiteral("(a value)") }
}
