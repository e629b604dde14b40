#if canImport(XCTest) && !canImport(ObjectiveC)
import Foundation
import Kivo
import XCTest

/// An expectation that a change of an observed key path fulfills.
///
/// It observes from its creation until it is fulfilled as often as required or released, and retains the object. Belongs to the
/// thread of the object.
///
/// The class has the name of XCTest's own on Apple's platforms, which cannot observe objects of a model.
open class XCTKVOExpectation: XCTestExpectation, @unchecked Sendable {
    /// A closure that evaluates a change of an object, given as a dictionary, and returns whether it fulfills the expectation.
    public typealias Handler = (_ object: Any, _ change: [NSKeyValueChangeKey: Any]) -> Bool

    /// The observed key path.
    public let keyPath: String
    /// The object that is observed.
    public let observedObject: Any
    /// The value that fulfills the expectation; nil if every change does.
    public let expectedValue: Any?
    /// The parts of each change that the observer receives.
    public let options: NSKeyValueObservingOptions
    /// The handler that evaluates each change from now on; if set, the expected value is ignored.
    open var handler: Handler?

    private var condition: KeyValueCondition?

    /// Creates an expectation that a change to an expected value fulfills.
    ///
    /// - Parameters:
    ///   - keyPath: the key path to observe.
    ///   - object: the object to observe.
    ///   - expectedValue: the value to wait for; nil if every notification fulfills the expectation, except
    ///     those before a change.
    ///   - options: the parts of each change that a ``handler`` receives. With `initial`, a current value counts too.
    ///   - file: the file where the expectation is made.
    ///   - line: the line where the expectation is made.
    public init(
        keyPath: String, object: Any, expectedValue: Any?, options: NSKeyValueObservingOptions,
        file: StaticString = #filePath, line: Int = #line
    ) {
        self.keyPath = keyPath
        observedObject = object
        self.expectedValue = expectedValue
        self.options = options
        super.init(
            description: KeyValueCondition.description(object, keyPath, expectedValue), file: file, line: line
        )
        guard let subject = NamedSubject(object) else {
            KeyValueCondition.fail(object, keyPath, file, line)
            return
        }
        condition = KeyValueCondition(
            subject, keyPath, options, goal: { [unowned self] in goal }, fulfilling: self, file, line)
    }

    /// Creates an expectation that an expected value fulfills, now or after a change.
    ///
    /// - Parameters:
    ///   - keyPath: the key path to observe.
    ///   - object: the object to observe.
    ///   - expectedValue: the value to wait for; nil if every change fulfills the expectation.
    ///   - file: the file where the expectation is made.
    ///   - line: the line where the expectation is made.
    public convenience init(
        keyPath: String, object: Any, expectedValue: Any?, file: StaticString = #filePath, line: Int = #line
    ) {
        self.init(
            keyPath: keyPath, object: object, expectedValue: expectedValue,
            options: expectedValue == nil ? [.new, .old] : [.initial, .new, .old], file: file, line: line)
    }

    /// Creates an expectation that the first change fulfills.
    ///
    /// - Parameters:
    ///   - keyPath: the key path to observe.
    ///   - object: the object to observe.
    ///   - file: the file where the expectation is made.
    ///   - line: the line where the expectation is made.
    public convenience init(
        keyPath: String, object: Any, file: StaticString = #filePath, line: Int = #line
    ) {
        self.init(
            keyPath: keyPath, object: object, expectedValue: nil, options: [.new, .old], file: file,
            line: line)
    }

    private var goal: KeyValueCondition.Goal {
        if let handler { return .handler(handler) }
        return expectedValue.map { .value($0) } ?? .change
    }
}

extension KeyValueCondition {
    /// Creates a condition that fulfills an expectation as often as the expectation requires.
    convenience init(
        _ object: NamedSubject, _ keyPath: String, _ options: NSKeyValueObservingOptions,
        goal: @escaping () -> Goal, fulfilling expectation: XCTestExpectation, _ file: StaticString,
        _ line: Int
    ) {
        var count = 0
        let text = expectation.expectationDescription
        self.init(object, keyPath, options, goal: goal) { [weak expectation] in
            guard let expectation else { return true }
            expectation.fulfill(file, line: line)
            count += 1
            return count >= expectation.expectedFulfillmentCount
        }
        onMiss = { [weak expectation] change in
            expectation?.expectationDescription = "\(text); what came last: \(change)"
        }
    }

    /// Returns a description of the expected change.
    static func description(_ object: Any, _ keyPath: String, _ expectedValue: Any?) -> String {
        let subject = "'\(keyPath)' of \(type(of: object))"
        guard let expectedValue else { return "Change of \(subject)" }
        return "Change of \(subject) to \(ObservedValue(expectedValue).text(false))"
    }

    /// Fails a test that expects a change of a value that cannot be observed.
    static func fail(_ object: Any, _ keyPath: String, _ file: StaticString, _ line: Int) {
        XCTFail(
            "'\(keyPath)' of \(type(of: object)) cannot be observed: its class does not conform to KeyValueObservable.",
            file: file,
            line: UInt(line))
    }
}

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
        guard let subject = NamedSubject(object) else {
            KeyValueCondition.fail(object, keyPath, file, line)
            return expectation
        }
        let condition = KeyValueCondition(
            subject, keyPath, options, goal: { goal }, fulfilling: expectation, file, line)
        addTeardownBlock { condition.stop() }
        return expectation
    }
}
#endif
