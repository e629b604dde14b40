#if !hasFeature(Embedded)
import Foundation
#endif

/// The amount of work that random and exhaustive tests do, as `KIVO_TEST_EFFORT` in the environment says.
///
/// A test that repeats something at random takes its rounds from ``rounds(_:within:atLeast:_:)``, one that tries every case
/// from ``cases(_:within:atLeast:_:)``:
///
///     for _ in TestEffort.rounds(12_000) { … }
///     for offset in TestEffort.cases(bytes.indices) { … }
///
/// By default such a loop ends when it has used its budget of processor time. A loop that was ended says after how many
/// rounds. The order and the random numbers are those of the process's seed in each effort, so that a failure of a long run is
/// found again by its seed and its effort.
public enum TestEffort: Sendable {
    /// Each loop has a budget of processor time.
    case standard
    /// Each loop has ten times the budget of a standard run, and each history up to ten times its length; what is built has the
    /// size of a full run. What `.ci/run` does.
    case long
    /// Each loop has all of its rounds.
    case full
    /// Random loops have ten times their rounds.
    case night

    #if hasFeature(Embedded)
    /// The effort of this process. There is neither an environment nor a clock to ask.
    public static var current: TestEffort { .full }
    #else
    /// The effort of this process.
    public static let current: TestEffort = {
        switch ProcessInfo.processInfo.environment["KIVO_TEST_EFFORT"] ?? "" {
        case "", "standard": return .standard
        case "long": return .long
        case "full": return .full
        case "night": return .night
        case let name:
            fatalError("KIVO_TEST_EFFORT is '\(name)'; it can be 'standard', 'long', 'full' or 'night'.")
        }
    }()
    #endif

    /// The multiple of its budget that a loop has; nil if it has all of its rounds.
    private var budgets: Double? {
        switch self {
        case .standard: 1
        case .long: 10
        case .full, .night: nil
        }
    }

    /// Whether loops have all of their cases, in order.
    public static var isExhaustive: Bool { current.budgets == nil }

    /// The rounds of a random test, from 0 up.
    ///
    /// - Parameters:
    ///   - count: The number of rounds of a full run.
    ///   - seconds: The processor time of this process and of the processes for which it has waited, after which no further
    ///     round begins in a standard run; ten times that in a long one.
    ///   - least: The number of rounds that each run has in any case, for tests that expect to meet something.
    public static func rounds(
        _ count: Int, within seconds: Double = 0.15, atLeast least: Int = 1, _ test: String = #function
    ) -> Trials<Range<Int>> {
        let count = current == .night ? count * 10 : count
        return Trials(cases: 0..<count, budget: seconds, least: least, test: test)
    }

    /// The cases of an exhaustive test: all of them in order, or as many as the budget allows, in random
    /// order. The parameters are those of ``rounds(_:within:atLeast:_:)``.
    public static func cases<Cases: Collection>(
        _ cases: Cases, within seconds: Double = 0.15, atLeast least: Int = 1, _ test: String = #function
    ) -> Trials<[Cases.Element]> {
        var random = RandomSource("cases of \(test)")
        let cases = current.budgets == nil ? Array(cases) : cases.shuffled(using: &random)
        return Trials(cases: cases, budget: seconds, least: least, test: test)
    }

    /// The number of rounds of a random test that cannot be cut short by time.
    ///
    /// - Returns: `standard` in a standard run, ten times that in a long one but no more than `full`, `full` in a full one, and
    ///   ten times that at night.
    public static func count(_ standard: Int, full: Int) -> Int {
        switch current {
        case .standard: standard
        case .long: min(standard * 10, full)
        case .full: full
        case .night: full * 10
        }
    }

    /// The size of what a test builds: `standard` in a standard run, and otherwise `full`, in a long run and at night too.
    public static func size(_ standard: Int, full: Int) -> Int { current == .standard ? standard : full }

    /// Some of the cases of a test that waits or runs other programs, chosen at random; all of them in a long run and a full one.
    public static func sample<Cases: Collection>(
        _ cases: Cases, _ count: Int, _ test: String = #function
    ) -> [Cases.Element] {
        if current != .standard { return Array(cases) }
        var random = RandomSource("sample of \(test)")
        return Array(cases.shuffled(using: &random).prefix(count))
    }

    /// A number that a full run has to exceed to show that what a test is about did happen; a run with budgets may be too short
    /// for it.
    public static func expected(_ count: Int) -> Int { current.budgets == nil ? count : -1 }

    /// The cases that a loop of a test tries.
    public struct Trials<Cases: Collection>: Sequence, IteratorProtocol {
        private var rest: Cases.SubSequence
        private let least: Int
        private let all: Int
        private let budget: Double?
        private let start: Double
        private let test: String
        private var begun = 0

        fileprivate init(cases: Cases, budget: Double, least: Int, test: String) {
            rest = cases[...]
            all = cases.count
            self.least = least
            self.budget = current.budgets.map { $0 * budget }
            self.test = test
            start = self.budget == nil ? 0 : processorTime()
        }

        public mutating func next() -> Cases.Element? {
            if rest.isEmpty { return nil }
            if let budget, begun >= least, processorTime() - start > budget {
                RandomSource.report("\(test): \(begun) of \(all) rounds")
                rest = rest.suffix(0)
                return nil
            }
            begun += 1
            return rest.removeFirst()
        }
    }

    /// The processor time in seconds of all threads of this process and of the processes for which it has waited. On Windows
    /// the time of day, which is as good on a machine that is not busy.
    private static func processorTime() -> Double {
        #if hasFeature(Embedded)
        return 0
        #elseif os(Windows)
        return Date().timeIntervalSinceReferenceDate
        #else
        var used = tms()
        _ = times(&used)
        let ticks = used.tms_utime + used.tms_stime + used.tms_cutime + used.tms_cstime
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
        #endif
    }
}
