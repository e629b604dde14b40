#if canImport(XCTest)
import XCTest

extension XCTestCase {
    /// Holds a token until the test ends, after its `tearDown()`.
    ///
    ///     hold(dog.observe(\.age) { _, _ in … })
    ///
    /// A token in a local variable ends with the last use of the variable, which in a release build is before the end of the test.
    ///
    /// - Parameter token: a `NotificationToken`, a `KeyValueObservation`, or another object.
    /// - Returns: the token.
    @discardableResult
    public func hold<Token: AnyObject>(_ token: Token) -> Token {
        let held = HeldToken(token)
        addTeardownBlock { withExtendedLifetime(held) {} }
        return token
    }
}

/// A token that a test holds.
private final class HeldToken: @unchecked Sendable {
    // Proof of `Sendable`: nothing is done with the token but to release it, after the test.
    private let token: AnyObject

    init(_ token: AnyObject) { self.token = token }
}
#endif
