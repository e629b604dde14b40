import Foundation

/// The tables of the time zone database: `iso3166.tab` and `zone1970.tab`.
enum ZoneTables {
    static let countryFile = "iso3166.tab"
    static let zoneFile = "zone1970.tab"

    /// Loads the tables of this machine, or the copies in the tour.
    ///
    /// - Throws: `TourError.noTables` if neither folder has both files, `TourError.badLine` if a line does not follow the format,
    ///   and errors of reading a file.
    static func load() throws -> (atlas: Atlas, folder: String) {
        let system = URL(fileURLWithPath: "/usr/share/zoneinfo", isDirectory: true)
        let folders =
            hasTables(system)
            ? [system]
            : [Bundle.module.resourceURL, Bundle.module.bundleURL]
                .compactMap { $0?.appendingPathComponent("zoneinfo", isDirectory: true) }
        guard let folder = folders.first(where: hasTables) else {
            throw TourError.noTables(folders: ([system] + folders).map(\.path))
        }
        let countries = try String(contentsOf: folder.appendingPathComponent(countryFile), encoding: .utf8)
        let zones = try String(contentsOf: folder.appendingPathComponent(zoneFile), encoding: .utf8)
        return (try parse(countries: countries, zones: zones), folder.path)
    }

    /// Parses the text of both tables into rows, in the order of the files.
    static func parse(countries: String, zones: String) throws -> Atlas {
        var atlas = Atlas()
        var codes: Set<String> = []
        for line in lines(of: countries, file: countryFile) {
            let fields = try line.fields(atLeast: 2)
            guard codes.insert(fields[0]).inserted else {
                throw line.error("country \(fields[0]) is listed twice")
            }
            atlas.countries.append(.init(code: fields[0], name: fields[1]))
        }
        var names: Set<String> = []
        for line in lines(of: zones, file: zoneFile) {
            let fields = try line.fields(atLeast: 3)
            let overlapped = fields[0].split(separator: ",").map(String.init)
            for code in overlapped where !codes.contains(code) { throw line.error("unknown country \(code)") }
            guard let location = location(fields[1]) else { throw line.error("no location: \(fields[1])") }
            guard names.insert(fields[2]).inserted else {
                throw line.error("zone \(fields[2]) is listed twice")
            }
            atlas.zones.append(
                .init(
                    name: fields[2], latitude: location.latitude, longitude: location.longitude,
                    comments: fields.count > 3 ? fields[3] : "", countries: overlapped))
        }
        return atlas
    }

    /// Parses ISO 6709 as degrees, either ±DDMM±DDDMM or ±DDMMSS±DDDMMSS. Returns nil if the text has neither form or is outside
    /// the globe.
    static func location(_ text: String) -> (latitude: Double, longitude: Double)? {
        guard let split = text.dropFirst().firstIndex(where: { $0 == "+" || $0 == "-" }) else { return nil }
        guard let latitude = degrees(text[..<split], wholeDigits: 2),
            let longitude = degrees(text[split...], wholeDigits: 3),
            text[..<split].count + 1 == text[split...].count,
            abs(latitude) <= 90, abs(longitude) <= 180
        else { return nil }
        return (latitude, longitude)
    }

    private static func degrees(_ text: Substring, wholeDigits: Int) -> Double? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let digits = text.dropFirst()
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        guard digits.count == wholeDigits + 2 || digits.count == wholeDigits + 4 else { return nil }
        let minuteText = digits.dropFirst(wholeDigits)
        guard let whole = Double(digits.prefix(wholeDigits)), let minutes = Double(minuteText.prefix(2)),
            let seconds = Double("0" + minuteText.dropFirst(2)), minutes < 60, seconds < 60
        else { return nil }
        let size = whole + (minutes * 60 + seconds) / 3600
        return sign == "-" ? -size : size
    }

    private static func hasTables(_ folder: URL) -> Bool {
        [countryFile, zoneFile].allSatisfy {
            FileManager.default.isReadableFile(atPath: folder.appendingPathComponent($0).path)
        }
    }
}

extension ZoneTables {
    /// A line with content, with its file and number.
    private struct Line {
        let file: String
        let number: Int
        let text: Substring

        func fields(atLeast count: Int) throws -> [String] {
            let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= count, !fields.prefix(count).contains("") else {
                throw error("\(count) columns separated by tabs are needed")
            }
            return fields
        }

        func error(_ problem: String) -> TourError {
            .badLine(file: file, number: number, problem: problem)
        }
    }

    private static func lines(of text: String, file: String) -> [Line] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .filter { !$0.element.isEmpty && !$0.element.hasPrefix("#") }
            .map { Line(file: file, number: $0.offset + 1, text: $0.element) }
    }
}
