import Foundation

/// The table for people, which prints each line as soon as its figures are available.
struct Table {
    private let start = Date()
    private var missed = 0
    private var reached = 0
    private var void = 0

    init(quick: Bool) {
        if quick { print("quick run: a tenth of the sizes; the targets hold for the full ones\n") }
        Self.line("name", "issue", "median", "p99", "min", "unit", "target", "", "to floor")
    }

    mutating func add(_ measurement: RowMeasurement, of row: Row) {
        let verdict: String
        switch measurement.reachesTarget(of: row) {
        case true?:
            verdict = "ok"
            reached += 1
        case false?:
            verdict = "MISS"
            missed += 1
        case nil:
            verdict = measurement.disturbance == nil ? "" : "void"
            if measurement.disturbance != nil { void += 1 }
        }
        var comparison = measurement.disturbance ?? ""
        if let ratio = measurement.ratio, let floor = row.floor {
            comparison = "\(Figure.text(ratio)) × \(floor.name)"
        }
        Self.line(
            row.name, row.issue.rawValue, Figure.text(measurement.median),
            measurement.percentile99.map(Figure.text) ?? "", Figure.text(measurement.min),
            row.unit.rawValue, row.targetText, verdict, comparison)
    }

    func finish() {
        let seconds = Figure.text(Date().timeIntervalSince(start))
        let voids = void == 0 ? "" : ", \(void) void"
        print("\n\(reached) targets reached, \(missed) missed\(voids), in \(seconds) s")
    }

    /// Prints the rows that can be measured.
    static func list(_ rows: [Row]) {
        for row in rows {
            show([
                row.name.padded(26), row.issue.rawValue.padded(9), row.unit.rawValue.padded(3),
                row.targetText,
            ])
        }
    }

    private static func line(
        _ name: String, _ issue: String, _ median: String, _ percentile99: String, _ min: String,
        _ unit: String,
        _ target: String, _ verdict: String, _ comparison: String
    ) {
        show([
            name.padded(26), issue.padded(9), median.padded(8, right: true),
            percentile99.padded(8, right: true), min.padded(8, right: true), unit.padded(3),
            target.padded(20), verdict.padded(4), comparison,
        ])
        // In a pipe, a line would otherwise stay in the buffer until it is full.
        fflush(nil)
    }

    private static func show(_ columns: [String]) {
        var line = columns.joined(separator: " ")
        while line.hasSuffix(" ") { line.removeLast() }
        print(line)
    }
}

extension String {
    fileprivate func padded(_ width: Int, right: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - count))
        return right ? padding + self : self + padding
    }
}

/// The figures as JSON, for other programs: an array with one object for each measurement.
struct JSONReport {
    private var objects: [String] = []

    mutating func add(_ measurement: RowMeasurement, of row: Row) {
        // Names, units, floors and disturbances need no escaping.
        var fields = [
            #""name": "\#(row.name)""#,
            #""median": \#(Figure.rounded(measurement.median))"#,
            #""min": \#(Figure.rounded(measurement.min))"#,
        ]
        if let percentile99 = measurement.percentile99 {
            fields.append(#""p99": \#(Figure.rounded(percentile99))"#)
        }
        fields.append(#""unit": "\#(row.unit.rawValue)""#)
        if let floor = row.floor {
            fields.append(#""floor": "\#(floor.name)""#)
            fields.append(#""ratio": \#(measurement.ratio.map { "\(Figure.rounded($0))" } ?? "null")"#)
        }
        if let disturbance = measurement.disturbance { fields.append(#""void": "\#(disturbance)""#) }
        objects.append("  {" + fields.joined(separator: ", ") + "}")
    }

    var text: String { objects.isEmpty ? "[]" : "[\n" + objects.joined(separator: ",\n") + "\n]" }
}

/// The formats of numbers.
enum Figure {
    /// Returns a number with three significant digits and separated thousands, for people.
    static func text(_ number: Double) -> String {
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

    /// Returns a number with four significant digits, for the JSON output.
    static func rounded(_ number: Double) -> Double {
        guard number.isFinite, number != 0 else { return 0 }
        return Double(String(format: "%.4g", number)) ?? number
    }
}
