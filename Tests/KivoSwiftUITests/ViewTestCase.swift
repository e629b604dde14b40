import Kivo
import KivoSwiftUI
import XCTest

/// Tests of what views do, on the main actor, with a realm in memory of its own for each test.
@MainActor
class ViewTestCase: XCTestCase {
    private(set) var configuration: Realm.Configuration!
    private(set) var realm: Realm!
    private var subscriptions: [ChangeRelay.Subscription] = []

    override func setUp() async throws {
        configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
        try open()
    }

    private func open() throws { realm = try open(configuration) }

    /// Opens a realm of the main actor.
    func open(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    override func tearDown() async throws {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        realm = nil
    }

    /// The number of times that a view had to evaluate its body again.
    @MainActor
    final class View { var count = 0 }

    /// A view that depends on a relay until the end of the test.
    func view(of relay: ChangeRelay) -> View {
        let view = View()
        subscriptions.append(relay.subscribe { view.count += 1 })
        return view
    }

    /// Takes all views off the screen.
    func removeViews() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
    }

    /// Writes on another thread, and waits; this thread's instance stays behind.
    func writeElsewhere(_ body: @escaping @Sendable (Realm) -> Void) {
        let configuration = configuration!
        let thread = Thread {
            let realm = try! Realm(configuration: configuration)
            try! realm.write { body(realm) }
        }
        let isAutomatic = realm.autorefresh
        realm.autorefresh = false
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        realm.autorefresh = isAutomatic
    }

    /// Lets the main actor have turns until a condition holds.
    func wait(until condition: () -> Bool, line: UInt = #line) async throws {
        for _ in 0..<2000 {
            if condition() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        XCTFail("it did not happen", line: line)
    }
}
