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
        guard let object = object as? any KeyValueObservable else {
            KeyValueCondition.fail(object, keyPath, file, line)
            return
        }
        condition = KeyValueCondition(
            object, keyPath, options, goal: { [unowned self] in goal }, fulfilling: self, file, line)
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
        _ object: any KeyValueObservable, _ keyPath: String, _ options: NSKeyValueObservingOptions,
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
            "'\(keyPath)' of \(type(of: object)) cannot be observed: it is no object of a model.", file: file,
            line: UInt(line))
    }
}
#endif
