/// A scanner for the key paths in the format of a predicate.
enum PredicatePaths {
    /// A key path, with the offset of each component in the format, in bytes.
    struct Path: Equatable {
        var components: [String]
        var offsets: [Int]
    }

    private static let keywords: Set<String> = [
        "and", "or", "not", "in", "between", "contains", "beginswith", "endswith", "like", "matches", "any",
        "all", "some",
        "none", "true", "false", "yes", "no", "null", "nil", "truepredicate", "falsepredicate", "subquery",
        "geowithin",
        "first", "last", "size", "sort", "distinct", "limit", "asc", "desc", "ascending", "descending",
        "containsany",
        "infinity", "nan", "inf",
    ]

    private static let functions: Set<String> = [
        "uuid", "oid", "date", "data", "decimal", "binary", "obj", "geobox", "geocircle", "geopolygon",
        "cast", "function",
    ]

    /// Returns the key paths in a format, or nil if it contains no comparison and therefore does not look like a predicate.
    static func paths(in format: [UInt8]) -> [Path]? {
        var scanner = Scanner(format: format)
        scanner.run()
        return scanner.compares ? scanner.paths : nil
    }

    private struct Scanner {
        let format: [UInt8]
        var offset = 0
        var paths: [Path] = []
        var compares = false

        init(format: [UInt8]) { self.format = format }

        private var byte: UInt8 { offset < format.count ? format[offset] : 0 }

        private static func isName(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x80...0xFF: true
            default: false
            }
        }

        private mutating func name() -> String {
            let start = offset
            while Self.isName(byte) { offset += 1 }
            return String(decoding: format[start..<offset], as: UTF8.self)
        }

        private mutating func skip(to end: UInt8) {
            while offset < format.count, byte != end { offset += 1 }
            offset += 1
        }

        /// Skips the rest of a path whose first name is not the class's: `.a.b`.
        private mutating func skipPath() {
            while byte == 0x2E || byte == 0x40 || byte == 0x23 || Self.isName(byte) { offset += 1 }
        }

        mutating func run() {
            while offset < format.count {
                switch byte {
                case 0x27, 0x22:
                    let quote = byte
                    offset += 1
                    while offset < format.count, byte != quote { offset += byte == 0x5C ? 2 : 1 }
                    offset += 1
                case 0x25:
                    offset += 1
                    if byte == 0x40 { offset += 1 } else { skipPath() }
                    skipPath()
                case 0x24, 0x40:
                    offset += 1
                    skipPath()
                case 0x5B: skip(to: 0x5D)
                case 0x30...0x39:
                    while Self.isName(byte) || byte == 0x2E { offset += 1 }
                case 0x3D, 0x3C, 0x3E, 0x21:
                    compares = true
                    offset += 1
                case 0x23 where offset + 1 < format.count && Self.isName(format[offset + 1]):
                    offset += 1
                    path(isEscaped: true)
                case let byte where Self.isName(byte): path(isEscaped: false)
                default: offset += 1
                }
            }
        }

        private mutating func path(isEscaped: Bool) {
            var path = Path(components: [], offsets: [offset])
            let first = name()
            path.components.append(first)
            while byte == 0x2E {
                let start = offset
                offset += 1
                if byte == 0x23 { offset += 1 }
                guard Self.isName(byte) else {
                    // After `.@count`, no property follows.
                    if byte == 0x40 { skipPath() } else { offset = max(offset, start + 1) }
                    break
                }
                path.offsets.append(offset)
                path.components.append(name())
            }
            var ahead = offset
            while ahead < format.count, format[ahead] == 0x20 { ahead += 1 }
            let isCall = ahead < format.count && format[ahead] == 0x28
            let word = first.lowercased()
            if !isEscaped, path.components.count == 1 {
                if PredicatePaths.functions.contains(word), isCall {
                    skip(to: 0x29)
                    return
                }
                if PredicatePaths.keywords.contains(word) {
                    let comparing: Set<String> = [
                        "in", "between", "contains", "beginswith", "endswith", "like", "matches",
                        "truepredicate",
                        "falsepredicate", "geowithin",
                    ]
                    if comparing.contains(word) { compares = true }
                    return
                }
            }
            if word == "self" {
                path.components.removeFirst()
                path.offsets.removeFirst()
            }
            if !path.components.isEmpty { paths.append(path) }
        }
    }
}
