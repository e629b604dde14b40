#if canImport(XCTest) && !hasFeature(Embedded)
import XCTest

extension XCTestCase {
    /// Calls a closure with every value, and prints the value if an assertion fails in it. Nested calls print the whole
    /// combination, from the inside out.
    public func withEvery<Values: Sequence>(
        _ name: String, in values: Values, _ body: (Values.Element) throws -> Void
    ) rethrows {
        for value in values {
            let failures = testRun?.totalFailureCount ?? 0
            do { try body(value) } catch {
                RandomSource.report("  with \(name) = \(value)")
                throw error
            }
            if testRun?.totalFailureCount ?? 0 > failures {
                RandomSource.report("  with \(name) = \(value)")
            }
        }
    }
}
#endif
