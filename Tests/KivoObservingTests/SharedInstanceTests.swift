import Foundation
import KivoObserving
import XCTest

/// Instances that several threads observe while others assign, one at a time, and release them.
final class SharedInstanceTests: XCTestCase {
    /// A class that guards its properties itself.
    private final class Guarded: KeyValueObservable, @unchecked Sendable {
        let lock = NSRecursiveLock()
        @Observed var value = 0
        @Observed var next: Guarded?

        func set(_ value: Int) { lock.withLock { self.value = value } }
        func follow(_ next: Guarded?) { lock.withLock { self.next = next } }
    }

    private final class Silent: KeyValueObserver {
        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {}
    }

    /// The thread sanitizer has nothing to report: code that only reads a property does not modify it.
    func testThreadsThatOnlyRead() {
        let object = Guarded()
        object.set(7)
        let token = object.observe(\.value) { _, _ in }
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<1000 { XCTAssertEqual(object.value, 7) }
        }
        token.invalidate()
    }

    /// Nor has it if another thread registers the first observers meanwhile, which stores into the instance.
    func testThreadsThatOnlyReadBesideTheFirstObservers() {
        for _ in 0..<50 {
            let object = Guarded()
            object.set(7)
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                if thread > 0 {
                    for _ in 0..<200 { XCTAssertEqual(object.value, 7) }
                    return
                }
                let recorder = Silent()
                object.observe(\.value, options: .new) { _, _ in }.invalidate()
                object.observe(\.next?.value) { _, _ in }.invalidate()
                object.addObserver(recorder, forKeyPath: "value", options: .old)
                object.removeObserver(recorder, forKeyPath: "value")
            }
        }
    }

    func testObserversComeAndGoWhileValuesChange() {
        let objects = (0..<4).map { _ in Guarded() }
        // Before the threads start: the first observation of an instance stores into it.
        let tokens = objects.map { object in object.observe(\.value) { _, _ in } }
        let paths = objects.map { object in object.observe(\.next?.value) { _, _ in } }
        let rounds = 2000
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            let recorder = Silent()
            for round in 0..<rounds {
                let object = objects[(round * 7 + thread) % 4]
                switch (round * 5 + round / 11 + thread) % 6 {
                case 0: object.set(round)
                case 1: object.lock.withLock { object.next = objects[(thread + 1) % 4] }
                case 2: object.observe(\.value, options: [.old, .new]) { _, _ in }.invalidate()
                case 3:
                    object.lock.withLock {
                        object.addObserver(recorder, forKeyPath: "next.value", options: [.old, .new])
                    }
                    object.set(-round)
                    object.removeObserver(recorder, forKeyPath: "next.value")
                case 4:
                    let short = Guarded()
                    let token = short.observe(\.value) { _, _ in }
                    short.set(1)
                    token.invalidate()
                default:
                    let short = Guarded()
                    object.lock.withLock { object.next = short }
                    short.set(2)
                }
            }
        }
        tokens.forEach { $0.invalidate() }
        paths.forEach { $0.invalidate() }
    }

    func testTokensEndWhileTheirInstanceIsReleased() {
        final class Held: @unchecked Sendable {
            var object: Guarded? = Guarded()
            var tokens: [KeyValueObservation] = []
        }
        let other = Guarded()
        for round in 0..<4000 {
            let held = Held()
            if round % 3 == 0 { held.object!.next = other }
            // A single registration is held in another way than several.
            held.tokens = (0..<(round % 2 == 0 ? 6 : 1)).map { number in
                number % 2 == 0
                    ? held.object!.observe(\.value, options: [.old, .new]) { _, _ in }
                    : held.object!.observe(\.next?.value) { _, _ in }
            }
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                if thread == 0 { held.object = nil } else { for token in held.tokens { token.invalidate() } }
            }
        }
    }

    func testTheOnlyObserverComesAndGoesWhileValuesChange() {
        for round in 0..<400 {
            let object = Guarded()
            // The first observation of an instance stores into it.
            object.observe(\.value) { _, _ in }.invalidate()
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                for step in 0..<20 {
                    switch thread {
                    case 0: object.set(step)
                    case 1: object.observe(\.value, options: [.old, .new]) { _, _ in }.invalidate()
                    default:
                        // Every other instance gets a second observer at some time, and observations with it.
                        let token = object.observe(\.value) { _, _ in }
                        if round % 2 == 0, step == 10 { object.observe(\.value) { _, _ in }.invalidate() }
                        token.invalidate()
                    }
                }
            }
        }
    }
}
