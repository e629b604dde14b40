#if compiler(>=6.2)
import Foundation
import KivoObserving
import Testing

/// Misuse of classes without a base class, which traps in words.
struct PlainClassTrapTests {
    private final class Box: KeyValueObservable {
        @Observed var size = 0
        @Observed var next: Box?
        @Observed var boxes: [Box] = []
        var plain = 0
        let fixed = 0
        var double: Int { size * 2 }

        static func computedProperties() -> [String: AnyKeyPath] { ["double": \Box.double] }
    }

    /// Returns whether a message contains all of some words.
    private static func says(_ result: ExitTest.Result?, _ words: String...) -> Bool {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        return words.allSatisfy(text.contains)
    }

    @Test func aPropertyIsUsedInsideOfItsMutation() async throws {
        for kind in 0..<4 {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [kind = kind as Int] in
                let box = Box()
                box.boxes = [Box()]
                let token = kind == 1 ? box.observe(\.size) { _, _ in } : nil
                box.boxes.removeAll { _ in
                    switch kind {
                    case 2: box.boxes = []
                    case 3: _ = box.value(forKey: "boxes")
                    default: _ = box.boxes.count
                    }
                    return true
                }
                token?.invalidate()
            }
            #expect(Self.says(result, "Overlapping accesses", "Box.boxes"), "\(kind)")
        }
    }

    @Test func aPlainPropertyIsSetByName() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Box().setValue(1, forKey: "plain")
        }
        #expect(Self.says(result, "'plain'", "'Box'", "@Observed"))
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Box().setValue(1, forKey: "fixed")
        }
        #expect(Self.says(other, "'fixed'", "'Box'", "@Observed"))
    }

    @Test func aValueDoesNotFit() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Box().setValue("text", forKey: "size")
        }
        #expect(Self.says(result, "'text'", "'Box.size'"))
    }

    @Test func aComputedPropertyWithoutASetterIsSet() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Box().setValue(1, forKey: "double")
        }
        #expect(Self.says(result, "'double'", "read-only"))
    }

    @Test func aChangeOfAPathIsAnnounced() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let box = Box()
            box.next = Box()
            let token = box.observe(\.size) { _, _ in }
            box.willChangeValue(for: \.next?.size)
            token.invalidate()
        }
        #expect(Self.says(result, "cannot be announced", "another object"))
    }

    @Test func aForcedPathIsObservedWhileItIsNil() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Box().observe(\.next!.size) { _, _ in }
        }
        #expect(Self.says(result, "'!'", "nil"))
        // Also where the path was not followed before.
        let deep = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let box = Box()
            box.next = Box()
            _ = box.observe(\.next!.next!.size) { _, _ in }
        }
        #expect(Self.says(deep, "'!'", "nil"))
    }

    @Test func aPathLeadsIntoTheElementsOfACollection() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Silent: KeyValueObserver {
                func observeValue(
                    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
                    context: UnsafeMutableRawPointer?
                ) {}
            }
            Box().addObserver(Silent(), forKeyPath: "boxes.size")
        }
        #expect(Self.says(result, "'boxes.size'", "elements of a collection"))
    }

    @Test func anObserverIsRemovedThatIsNotRegistered() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Box().removeObserver(Recorder(), forKeyPath: "size")
        }
        #expect(Self.says(result, "'size'", "'Box'", "not registered"))
    }
}
#endif
