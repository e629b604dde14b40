#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// A realm belongs to a serial queue: blocks of a concurrent one would use it at the same time.
struct ConcurrentQueueTests {
    @Test func aRealmForAConcurrentQueue() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = DispatchQueue(label: "wide", attributes: .concurrent)
            try queue.sync { _ = try Realm(configuration: .init(inMemoryIdentifier: "trap"), queue: queue) }
        }
        try check(result, says: ["'wide' is concurrent", "serial queue"])
    }

    @Test func aRealmForABarrierOfAConcurrentQueue() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let target = DispatchQueue(label: "target")
            let queue = DispatchQueue(label: "wide", attributes: .concurrent, target: target)
            try queue.sync(flags: .barrier) {
                _ = try Realm(configuration: .init(inMemoryIdentifier: "trap"), queue: queue)
            }
        }
        try check(result, says: ["'wide' is concurrent"])
    }

    @Test func aRealmForAGlobalQueue() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = DispatchQueue.global()
            try queue.sync { _ = try Realm(configuration: .init(inMemoryIdentifier: "trap"), queue: queue) }
        }
        try check(result, says: ["is concurrent"])
    }

    @Test func deliveryOnAConcurrentQueue() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = DispatchQueue(label: "wide", attributes: .concurrent)
            let realm = try Realm(configuration: .init(inMemoryIdentifier: "trap"))
            _ = realm.objects(Dog.self).observe(on: queue) { _ in }
        }
        try check(result, says: ["'wide' is concurrent"])
    }

    @Test func serialQueuesOfAllKinds() async {
        await #expect(processExitsWith: .success) {
            let wide = DispatchQueue(label: "wide", attributes: .concurrent)
            let queues = [
                DispatchQueue(label: "plain"), DispatchQueue(label: "background", qos: .background),
                DispatchQueue(label: "on global", target: .global()),
                DispatchQueue(label: "on wide", target: wide),
                DispatchQueue(label: "pooled", autoreleaseFrequency: .workItem), .main,
            ]
            for queue in queues {
                let finished = Done()
                queue.async {
                    do {
                        let configuration = Realm.Configuration(inMemoryIdentifier: "serial")
                        let realm = try Realm(configuration: configuration, queue: queue)
                        try realm.write { realm.add(Dog()) }
                        finished.set()
                    } catch { fatalError("\(error)") }
                }
                while !finished.isSet { try await Task.sleep(nanoseconds: 1_000_000) }
            }
        }
    }
}
#endif
