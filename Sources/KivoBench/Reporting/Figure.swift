import Foundation

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
