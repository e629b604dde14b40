import Dispatch
import Foundation
import Kivo
import Synchronization

/// A store that two threads use: the main thread's realm, and another realm that writes.
final class Store {
    let configuration: Realm.Configuration
    let realm: Realm
    private var openWriter: Writer?

    init(_ configuration: Realm.Configuration) throws {
        self.configuration = configuration
        self.realm = try Realm(configuration: configuration)
    }

    /// Returns the other realm, which is opened on first access.
    func writer() throws -> Writer {
        if let openWriter { return openWriter }
        let writer = try Writer(configuration)
        openWriter = writer
        return writer
    }

    /// Lets new observers become ready and receive their first calls.
    func settle() throws {
        _ = realm.refresh()
        try realm.write {}
        _ = realm.refresh()
    }
}

/// A realm that is confined to its own queue.
final class Writer {
    private let queue = DispatchQueue(label: "kivo-bench.writer")
    private let realm: Realm

    init(_ configuration: Realm.Configuration) throws {
        realm = try queue.sync { [queue] in try Realm(configuration: configuration, queue: queue) }
    }

    /// Calls `body` on the queue and waits.
    func perform<R>(_ body: (Realm) throws -> R) rethrows -> R {
        try queue.sync { try body(realm) }
    }

    /// Calls `body` in a write transaction on the queue and waits.
    func write<R>(_ body: (Realm) throws -> R) throws -> R {
        try perform { realm in try realm.write { try body(realm) } }
    }
}

/// A signal that one thread awaits and another sends.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() { semaphore.wait() }
    func send() { semaphore.signal() }
}

/// A thread that sleeps until it is requested to write one value.
final class LatencyWriter: Sendable {
    private let ask = Signal()
    /// The signal that is sent after a requested write.
    let written = Signal()
    /// The time at which the last write began.
    let begun = Atomic<UInt64>(0)
    private let isStopped = Atomic<Bool>(false)

    /// - Parameter delay: the seconds that it waits before each write.
    init(_ configuration: Realm.Configuration, delay: Double = 0) {
        Thread { [self] in run(configuration, delay) }.start()
    }

    func write() { ask.send() }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        ask.send()
        written.wait()
    }

    private func run(_ configuration: Realm.Configuration, _ delay: Double) {
        do {
            let realm = try Realm(configuration: configuration)
            let item = realm.objects(Item.self)[0]
            var value = 0
            while true {
                ask.wait()
                if isStopped.load(ordering: .acquiring) { break }
                if delay > 0 { Thread.sleep(forTimeInterval: delay) }
                value += 1
                begun.store(DispatchTime.now().uptimeNanoseconds, ordering: .releasing)
                try realm.write { item.value = value }
                written.send()
            }
        } catch { fatalError("kivo-bench: \(error)") }
        written.send()
    }
}
