#if compiler(>=6.2)
import Foundation
import KivoObserving
import Testing

/// Key paths whose changes could never be notified, which are refused in words when they are observed.
struct SilentPathTrapTests {
    private final class Panel: KeyValueObservable {
        let model = Gauge()
        let limit = 3
        var plain = 0
        let progress = Progress(totalUnitCount: 1)
        @Observed var shown: Progress?
        @Observed var gauge: Gauge?
        var text: String { "\(plain)" }
    }

    private final class Gauge: KeyValueObservable {
        @Observed var value = 0
        let number = 1
    }

    private final class Steps: Progress, KeyValueObservable, @unchecked Sendable {}

    private final class Silent: KeyValueObserver {
        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {}
    }

    private static func says(_ result: ExitTest.Result?, _ words: String...) -> Bool {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        return words.allSatisfy(text.contains)
    }

    @Test func aPropertyIsNotObserved() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Panel().observe(\.plain) { _, _ in }
        }
        #expect(Self.says(result, "Panel", "@Observed"))
        let constant = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Panel().observe(\.model.number) { _, _ in }
        }
        #expect(Self.says(constant, "Panel", "@Observed"))
        let named = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Panel().addObserver(Silent(), forKeyPath: "plain")
        }
        #expect(Self.says(named, "'plain'", "'Panel'", "@Observed", "automaticallyNotifiesObservers"))
        let along = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Panel().addObserver(Silent(), forKeyPath: "model.number")
        }
        #expect(Self.says(along, "'model.number'", "'Panel'", "@Observed"))
    }

    @Test func aComputedPropertyReadsNothingThatIsObserved() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Panel().observe(\.text) { _, _ in }
        }
        #expect(Self.says(result, "'Panel'", "computed 'String'", "computedProperties()"))
    }

    /// As in Cocoa, which looks at no value when an observer registers: the class may announce the key by hand.
    @Test func anUnknownNameDoesNotTrap() {
        let (panel, observer) = (Panel(), Silent())
        for keyPath in ["nothing", "gauge.valeu"] {
            panel.addObserver(observer, forKeyPath: keyPath)
            panel.removeObserver(observer, forKeyPath: keyPath)
        }
    }

    @Test func aClassOfFoundationIsObserved() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Steps(totalUnitCount: 1).observe(\.completedUnitCount) { _, _ in }
        }
        #expect(Self.says(result, "Steps", "Foundation"))
        let constant = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Panel().observe(\.progress.fractionCompleted) { _, _ in }
        }
        #expect(Self.says(constant, "Panel", "Foundation"))
        let named = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let panel = Panel()
            panel.shown = Progress(totalUnitCount: 1)
            panel.addObserver(Silent(), forKeyPath: "shown.fractionCompleted")
        }
        #expect(Self.says(named, "'shown.fractionCompleted'", "Progress", "Foundation"))
    }

    @Test func aClassAnnouncesItsChanges() {
        final class Manual: KeyValueObservable {
            var value = 0
            var text: String { "\(value)" }
            static func automaticallyNotifiesObservers(forKey key: String) -> Bool { key != "value" }
            static func computedProperties() -> [String: AnyKeyPath] { ["text": \Manual.text] }
        }
        let (object, recorder) = (Manual(), Recorder())
        var count = 0
        let tokens = [
            object.observe(\.value) { _, _ in count += 1 }, object.observe(\.text) { _, _ in count += 1 },
        ]
        object.addObserver(recorder, forKeyPath: "value")
        object.willChangeValue(forKey: "value")
        object.didChangeValue(forKey: "value")
        object.willChangeValue(for: \.text)
        object.didChangeValue(for: \.text)
        #expect(count == 2)
        #expect(recorder.notices.count == 1)
        tokens.forEach { $0.invalidate() }
        object.removeObserver(recorder, forKeyPath: "value")
    }
}
#endif
