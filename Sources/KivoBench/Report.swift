import Foundation

/// How results are printed.
enum Report {
    /// The table for people, a line as soon as it is known.
    struct Table {
        private let start = Date()
        private var missed = 0
        private var reached = 0

        init(quick: Bool) {
            if quick { print("quick run: a tenth of the sizes; the targets hold for the full ones\n") }
            Self.line("name", "issue", "median", "min", "unit", "target", "", "to floor")
        }

        mutating func add(_ measurement: Measurement) {
            let row = measurement.row
            let verdict: String
            switch measurement.reachesTarget {
            case true?:
                verdict = "ok"
                reached += 1
            case false?:
                verdict = "MISS"
                missed += 1
            case nil:
                verdict = ""
            }
            var comparison = ""
            if let ratio = measurement.ratio, let floor = row.floor {
                comparison = "\(figure(ratio)) × \(floor.name)"
            }
            Self.line(
                row.name, row.issue.rawValue, figure(measurement.median), figure(measurement.min),
                row.unit.rawValue, row.targetText, verdict, comparison)
        }

        func finish() {
            let seconds = figure(Date().timeIntervalSince(start))
            print("\n\(reached) targets reached, \(missed) missed, in \(seconds) s")
        }

        private static func line(
            _ name: String, _ issue: String, _ median: String, _ min: String, _ unit: String,
            _ target: String,
            _ verdict: String, _ comparison: String
        ) {
            let columns = [
                name.padded(26), issue.padded(9), median.padded(10, right: true), min.padded(10, right: true),
                unit.padded(3), target.padded(18), verdict.padded(5), comparison,
            ]
            print(trimmed(columns.joined(separator: " ")))
            // Through a pipe, a line would otherwise wait for the buffer to fill.
            fflush(nil)
        }
    }

    /// What can be measured.
    static func list(_ rows: [Row]) {
        for row in rows {
            let columns = [
                row.name.padded(26), row.issue.rawValue.padded(9), row.unit.rawValue.padded(3),
                row.targetText,
            ]
            print(trimmed(columns.joined(separator: " ")))
        }
    }

    /// An array with one object per measurement; names, units and floors need no escaping.
    static func json(_ measurements: [Measurement]) -> String {
        let objects = measurements.map { measurement in
            var fields = [
                #""name": "\#(measurement.row.name)""#,
                #""median": \#(rounded(measurement.median))"#,
                #""min": \#(rounded(measurement.min))"#,
                #""unit": "\#(measurement.row.unit.rawValue)""#,
            ]
            if let floor = measurement.row.floor, let ratio = measurement.ratio {
                fields.append(#""floor": "\#(floor.name)""#)
                fields.append(#""ratio": \#(rounded(ratio))"#)
            }
            return "  {" + fields.joined(separator: ", ") + "}"
        }
        return objects.isEmpty ? "[]" : "[\n" + objects.joined(separator: ",\n") + "\n]"
    }

    /// A number with three significant digits, thousands apart, for people.
    static func figure(_ number: Double) -> String {
        guard number.isFinite, number != 0 else { return "\(number)" }
        guard abs(number) < 1_000 else { return grouped(Int(number.rounded())) }
        let magnitude = Int(log10(abs(number)).rounded(.down))
        var text = String(format: "%.\(max(0, 2 - magnitude))f", number)
        if text.contains(".") {
            while text.hasSuffix("0") { text.removeLast() }
            if text.hasSuffix(".") { text.removeLast() }
        }
        return text
    }

    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (position, digit) in String(number).reversed().enumerated() {
            if position > 0, position.isMultiple(of: 3), digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// Four significant digits, for programs.
    private static func rounded(_ number: Double) -> Double {
        guard number.isFinite, number != 0 else { return 0 }
        return Double(String(format: "%.4g", number)) ?? number
    }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }
}

extension String {
    fileprivate func padded(_ width: Int, right: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - count))
        return right ? padding + self : self + padding
    }
}
