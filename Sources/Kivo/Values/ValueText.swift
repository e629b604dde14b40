import Foundation

extension Date {
    /// Creates a date from a text of ISO 8601: a day, or a day and a time with at most nine decimal places. Without an offset from
    /// UTC the time is in UTC. Returns nil if the text is none, or if there is no such day or time.
    package init?(iso8601 text: String) {
        // By hand: a regular expression takes a hundred times as long, which the import of a million rows would notice.
        var rest = text.utf8[...]
        func take(_ signs: String) -> UInt8? {
            guard let first = rest.first, signs.utf8.contains(first) else { return nil }
            rest.removeFirst()
            return first
        }
        func digits(_ range: ClosedRange<Int>) -> (value: Int, count: Int)? {
            var (value, count) = (0, 0)
            while count < range.upperBound, let digit = take("0123456789") {
                value = value * 10 + Int(digit - UInt8(ascii: "0"))
                count += 1
            }
            return count < range.lowerBound ? nil : (value, count)
        }
        func twoDigits() -> Int? { digits(2...2)?.value }
        guard let year = digits(4...4)?.value, take("-") != nil, let month = twoDigits(), take("-") != nil,
            let day = twoDigits(), let days = Date.days(year, month, day)
        else { return nil }
        var (hour, minute, second, nanoseconds, offset) = (0, 0, 0, 0, 0)
        if !rest.isEmpty {
            guard take("T ") != nil, let hours = twoDigits(), take(":") != nil, let minutes = twoDigits()
            else {
                return nil
            }
            (hour, minute) = (hours, minutes)
            if take(":") != nil {
                guard let seconds = twoDigits() else { return nil }
                second = seconds
                if take(".") != nil {
                    guard let fraction = digits(1...9) else { return nil }
                    nanoseconds = (fraction.count..<9).reduce(fraction.value) { value, _ in value * 10 }
                }
            }
            if let zone = take("Z+-"), zone != UInt8(ascii: "Z") {
                guard let hours = twoDigits() else { return nil }
                _ = take(":")
                guard let minutes = twoDigits(), hours < 24, minutes < 60 else { return nil }
                offset = (zone == UInt8(ascii: "-") ? -60 : 60) * (hours * 60 + minutes)
            }
            guard rest.isEmpty, hour < 24, minute < 60, second < 60 else { return nil }
        }
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
