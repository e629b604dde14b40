import Foundation
import XCTest

/// Collections of Kivo in protocols that other libraries have for notifications.
final class NotificationProtocolTests: XCTestCase {
    /// Libraries around realm-swift have a protocol with this method. Its block is not `@Sendable`, which only Swift 5 allows.
    func testCollectionsSatisfyAProtocolForNotifications() throws {
        let compiler = try ExampleCompiler(modules: DocumentedExamplesTests.modulesFolder())
        let source = """
            import Dispatch
            import Kivo
            protocol NotificationEmitter {
                func observe(on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void)
                    -> NotificationToken
            }
            extension Results: NotificationEmitter {}
            extension List: NotificationEmitter {}
            extension MutableSet: NotificationEmitter {}
            extension LinkingObjects: NotificationEmitter {}
            extension AnyRealmCollection: NotificationEmitter {}
            """
        XCTAssertNil(try compiler.problems(inSource: source, mode: "5"))
        XCTAssertNotNil(try compiler.problems(inSource: source))
        let racing = """
            import Dispatch
            import Kivo
            func count(_ dogs: Results<DynamicObject>) -> NotificationToken {
                var count = 0
                return dogs.observe(on: DispatchQueue(label: "other")) { _ in count += 1 }
            }
            """
        let problems = try XCTUnwrap(try compiler.problems(inSource: racing))
        XCTAssertTrue(problems.contains("mutation of captured var 'count'"), problems)
    }
}
