import Foundation

extension Date {
    /// Creates a date from a text of ISO 8601: a day, or a day and a time with at most nine decimal places. Without an offset from
    /// UTC the time is in UTC. Returns nil if the text is none, or if there is no such day or time.
    package init?(iso8601 text: String) {
        let pattern =
            #/(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?/#
        guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
        func number(_ digits: Substring?) -> Int { digits.flatMap { Int($0) } ?? 0 }
        let (year, month, day) = (number(match.1), number(match.2), number(match.3))
        let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
        guard let days = Date.days(year, month, day), hour < 24, minute < 60, second < 60 else { return nil }
        var offset = 0
        if let zone = match.8, zone != "Z" {
            let (hours, minutes) = (number(zone.dropFirst().prefix(2)), number(zone.suffix(2)))
            guard hours < 24, minutes < 60 else { return nil }
            offset = (zone.first == "-" ? -60 : 60) * (hours * 60 + minutes)
        }
        let fraction = String(match.7 ?? "0")
        let nanoseconds = number(fraction.padding(toLength: 9, withPad: "0", startingAt: 0)[...])
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        self.init(timeIntervalSinceReferenceDate: Double(seconds - 978_307_200) + Double(nanoseconds) / 1e9)
    }

    /// Returns the number of days since 1970 in the Gregorian calendar, or nil if there is no such day.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
        // The cycle of 400 years before the first year changes no quotient, and keeps them positive.
        let earlierYears = year + 399
        let leapDays = earlierYears / 4 - earlierYears / 100 + earlierYears / 400
        let daysInYear = lengths[..<(month - 1)].reduce(0, +) + day - 1
        return earlierYears * 365 + leapDays + daysInYear - 865_259
    }
}

extension Data {
    /// Creates data from two hexadecimal digits for each byte. Returns nil if the text is anything else.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count % 2 == 0 else { return nil }
        self.init(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            append(UInt8(high * 16 + low))
        }
    }
}
