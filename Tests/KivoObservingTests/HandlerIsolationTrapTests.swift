#if compiler(>=6.2)
import Foundation
import KivoObserving
import Testing

/// Handlers that belong to an actor, of properties that change elsewhere.
struct HandlerIsolationTrapTests {
    private final class Report: KeyValueObservable, @unchecked Sendable {
        @Observed var percent = 0
        @Observed var lines: [String] = []
    }

    private actor Keeper {
        private var seen: [Int] = []
        private var token: KeyValueObservation?
        func follow(_ report: Report) {
            token = report.observe(\.percent, options: .new) { self.seen.append($1.newValue!) }
        }
    }

    @MainActor private static var tokens: [KeyValueObservation] = []

    private static func isExplained(_ result: ExitTest.Result?, _ words: String...) -> Bool {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        return (words + ["values(of:)", "@Sendable"]).allSatisfy(text.contains)
    }

    @Test func aHandlerOfTheMainActor() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let report = Report()
            await MainActor.run {
                HandlerIsolationTrapTests.tokens.append(report.observe(\.percent) { _, _ in })
            }
            await Task.detached { report.percent = 1 }.value
        }
        #expect(Self.isExplained(result, "'Report.percent'", "the main actor"))
    }

    @Test func aHandlerOfTheMainActorWithValuesOfACollection() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let report = Report()
            await MainActor.run {
                HandlerIsolationTrapTests.tokens.append(
                    report.observe(\.lines, options: [.old, .new]) { _, _ in })
            }
            await Task.detached { report.lines.append("elsewhere") }.value
        }
        #expect(Self.isExplained(result, "'Report.lines'", "the main actor"))
    }

    @MainActor private final class Log: @MainActor KeyValueObserver {
        private var seen: [String] = []

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            seen.append(keyPath!)
        }
    }

    @MainActor private static var logs: [Log] = []

    @Test(arguments: [[], [.new], [.old, .prior]] as [NSKeyValueObservingOptions])
    func anObserverByNameOfTheMainActor(options: NSKeyValueObservingOptions) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [options = options.rawValue as UInt] in
            let report = Report()
            await MainActor.run {
                let log = Log()
                HandlerIsolationTrapTests.logs.append(log)
                report.addObserver(
                    log, forKeyPath: "percent", options: NSKeyValueObservingOptions(rawValue: options))
            }
            await Task.detached { report.percent = 1 }.value
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            ["'Log'", "'Report.percent'", "isolated to the main actor", "values(of:)"].allSatisfy(
                text.contains))
    }

    @MainActor private final class Model: @MainActor KeyValueObservable {
        @Observed var lines: [String] = []
    }

    /// An object that a program declares safe to be passed on, and that is not.
    private struct Escaped: @unchecked Sendable {
        let object: any KeyValueObservable
    }

    #if DEBUG || CheckedReads
    @Test func valuesByNameOfAnIsolatedClass() async throws {
        for kind in 0..<3 {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [kind = kind as Int] in
                let escaped = await MainActor.run {
                    let model = Model()
                    model.setValue(["a"], forKey: "lines")
                    return Escaped(object: model)
                }
                await Task.detached {
                    switch kind {
                    case 0: escaped.object.setValue(["b"], forKey: "lines")
                    case 1: _ = escaped.object.value(forKeyPath: "lines.@count")
                    default: escaped.object.mutableArrayValue(forKey: "lines").add("b")
                    }
                }.value
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(
                ["'Model'", "by name", "isolated to the main actor"].allSatisfy(text.contains),
                "\(kind): \(text)")
        }
    }
    #endif

    @Test func aHandlerOfAnActor() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (report, keeper) = (Report(), Keeper())
            await keeper.follow(report)
            report.percent = 1
        }
        #expect(Self.isExplained(result, "'Report.percent'", "actor 'Keeper'"))
    }
}
#endif
