#if canImport(XCTest) && !canImport(ObjectiveC)
import Foundation
import Kivo
import XCTest

extension XCTestCase {
    /// Creates an expectation that is fulfilled when an observed key path has an expected value, now or after a change.
    ///
    /// The expectation retains the object, and observes it until it is fulfilled or the test ends.
    ///
    /// - Parameters:
    ///   - objectToObserve: the object; the test fails if it cannot be observed.
    ///   - keyPath: the key path to observe.
    ///   - expectedValue: the value to wait for; nil if the first change fulfills the expectation. Numbers
    ///     are compared whatever their types.
    ///   - file: the file where the expectation is made.
    ///   - line: the line where the expectation is made.
    /// - Returns: an expectation of this test.
    @discardableResult
    public func keyValueObservingExpectation(
        for objectToObserve: Any, keyPath: String, expectedValue: Any?, file: StaticString = #filePath,
        line: Int = #line
    ) -> XCTestExpectation {
        let goal = expectedValue.map { KeyValueCondition.Goal.value($0) } ?? .change
        let options: NSKeyValueObservingOptions = expectedValue == nil ? [] : .initial
        let description = KeyValueCondition.description(objectToObserve, keyPath, expectedValue)
        return expect(goal, description, objectToObserve, keyPath, options, file, line)
    }

    /// Creates an expectation that is fulfilled when a handler returns true after a change of an observed key path.
    ///
    /// The expectation retains the object, and observes it until it is fulfilled or the test ends.
    ///
    /// - Parameters:
    ///   - objectToObserve: the object; the test fails if it cannot be observed.
    ///   - keyPath: the key path to observe.
    ///   - handler: receives the object and each change, with old and new value, until it returns true; nil if the first change
    ///     fulfills the expectation.
    ///   - file: the file where the expectation is made.
    ///   - line: the line where the expectation is made.
    /// - Returns: an expectation of this test.
    @discardableResult
    public func keyValueObservingExpectation(
        for objectToObserve: Any, keyPath: String, file: StaticString = #filePath, line: Int = #line,
        handler: XCTKVOExpectation.Handler? = nil
    ) -> XCTestExpectation {
        let goal = handler.map { KeyValueCondition.Goal.handler($0) } ?? .change
        let description = KeyValueCondition.description(objectToObserve, keyPath, nil)
        return expect(goal, description, objectToObserve, keyPath, [.old, .new], file, line)
    }

    private func expect(
        _ goal: KeyValueCondition.Goal, _ description: String, _ object: Any, _ keyPath: String,
        _ options: NSKeyValueObservingOptions, _ file: StaticString, _ line: Int
    ) -> XCTestExpectation {
        let expectation = expectation(description: description, file: file, line: line)
        guard let object = object as? any KeyValueObservable else {
            KeyValueCondition.fail(object, keyPath, file, line)
            return expectation
        }
        let condition = KeyValueCondition(
            object, keyPath, options, goal: { goal }, fulfilling: expectation, file, line)
        addTeardownBlock { condition.stop() }
        return expectation
    }
}
#endif
