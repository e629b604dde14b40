import Foundation
import Kivo
import KivoEngine
import Observation
import Synchronization
import XCTest

/// A test with a realm in memory that no other test sees.
class RealmTestCase: XCTestCase {
    /// The test's realm; it lives as long as an instance of it is open.
    var configuration: Realm.Configuration { Realm.Configuration(inMemoryIdentifier: name) }

    func openRealm() throws -> Realm { try Realm(configuration: configuration) }

    /// Counts the notifications about changes of what `read` reads, inside of `withObservationTracking`.
    func track(_ read: () -> Void) -> Shared<Int> {
        let count = Shared(0)
        withObservationTracking(read) { count.update { $0 += 1 } }
        return count
    }

    /// Runs `work` with a realm of another thread, and returns when that thread is done with it.
    func elsewhere(_ work: @escaping @Sendable (Realm) throws -> Void) throws {
        let configuration = configuration
        try onAnotherThread { try work(Realm(configuration: configuration)) }
    }

    /// Runs `work` in a write transaction of another thread's realm.
    func writeElsewhere(_ work: @escaping @Sendable (Realm) throws -> Void) throws {
        try elsewhere { realm in try realm.write { try work(realm) } }
    }

    /// Returns the description of one collection notification.
    func text<C>(_ change: RealmCollectionChange<C>) -> String {
        switch change {
        case .initial: "initial"
        case .update(_, let deletions, let insertions, let modifications):
            "-\(deletions) +\(insertions) ~\(modifications)"
        case .error(let error): "\(error)"
        }
    }

    /// Fails the test if `work`, which runs where nothing may be thrown, throws.
    func expectSuccess(file: StaticString = #filePath, line: UInt = #line, _ work: () throws -> Void) {
        do { try work() } catch { XCTFail("\(error)", file: file, line: line) }
    }

    /// Serves the main run loop until a condition holds; fails the test if it does not within two minutes: a sanitizer on a busy machine is slow.
    func wait(
        _ what: String = "the condition to hold", file: StaticString = #filePath, line: UInt = #line,
        until condition: () -> Bool
    ) {
        let deadline = Date(timeIntervalSinceNow: 120)
        while !condition() {
            guard Date() < deadline else { return XCTFail("waited for \(what)", file: file, line: line) }
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        }
    }

    /// Serves the main run loop until what was put there before has run, and what that put there.
    func serveRunLoop() {
        for _ in 0..<3 {
            let done = Done()
            DispatchQueue.main.async { done.set() }
            wait("the main queue") { done.isSet }
        }
    }
}

/// Whether something has happened; thread-safe.
final class Done: Sendable {
    private let state = Atomic<Bool>(false)

    var isSet: Bool { state.load(ordering: .acquiring) }

    func set() { state.store(true, ordering: .releasing) }
}

/// A value that several threads share.
final class Shared<Value: Sendable>: Sendable {
    private let state: Lock<Value>

    init(_ value: Value) { state = Lock(value) }

    var value: Value { state.withLock { $0 } }

    func update(_ body: @Sendable (inout Value) -> Void) { state.withLock { body(&$0) } }
}

/// Runs `work` on a new thread and returns when it is done; throws what it throws.
func onAnotherThread(_ work: @escaping @Sendable () throws -> Void) throws {
    let failure = Failure()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        do { try work() } catch { failure.set(error) }
        done.signal()
    }
    thread.start()
    done.wait()
    if let error = failure.error { throw error }
}

/// The error of another thread.
private final class Failure: Sendable {
    private let state = Lock<(any Error)?>(nil)

    var error: (any Error)? { state.withLock { $0 } }

    func set(_ error: any Error) { state.withLock { $0 = error } }
}

/// How many files, sockets and the like the process has open.
func descriptorCount() throws -> Int {
    #if os(Windows)
    throw XCTSkip("The descriptors of the process cannot be counted here.")
    #else
    for folder in ["/proc/self/fd", "/dev/fd"] {
        if let open = try? FileManager.default.contentsOfDirectory(atPath: folder) { return open.count }
    }
    throw XCTSkip("The descriptors of the process cannot be counted here.")
    #endif
}
