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
