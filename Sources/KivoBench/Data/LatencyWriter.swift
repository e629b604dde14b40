import Dispatch
import Foundation
import Kivo
import Synchronization

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
