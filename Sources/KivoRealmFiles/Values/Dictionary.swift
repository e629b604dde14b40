extension RealmFile {
    /// A dictionary in a file, whose pairs are read on access.
    ///
    /// It retains the open file.
    public struct Dictionary: Sendable {
        /// A key of a dictionary.
        public enum Key: Hashable, Sendable {
            /// A text.
            case string(String)
            /// A text whose bytes are not valid UTF-8.
            case malformedString([UInt8])
            /// A number, in files that no SDK creates.
            case int(Int64)
        }

        private let file: RealmFile
        private let root: Int64
        private let column: ColumnLayout
        private let level: Int
        /// The number of pairs.
        public let count: Int

        init(file: RealmFile, root: Int64, column: ColumnLayout, level: Int) throws(RealmFileError) {
            try ColumnLayout.check(level: level, of: root)
            self.file = file
            self.root = root
            self.column = column
            self.level = level
            count = try file.reading { view throws(RealmFileError) in
                try PairCursor.count(root: root, intKeys: column.hasIntKeys, view)
            }
        }

        /// Calls `body` with each key and value, ordered by the bytes of the keys, or by number.
        ///
        /// - Throws: Errors of `body`, and ``RealmFileError`` if the file is damaged.
        public func forEach(_ body: (_ key: Key, _ value: Value) throws -> Void) throws {
            try file.reading { view in
                var pairs = try PairCursor(root: root, intKeys: column.hasIntKeys, view)
                while let (rawKey, raw) = try pairs.next() {
                    try raw.checkType(column, root)
                    let key: Key
                    switch try Value(rawKey, column, level: level, file, view) {
                    case .string(let text): key = .string(text)
                    case .malformedString(let bytes): key = .malformedString(bytes)
                    case .int(let number): key = .int(number)
                    default:
                        throw RealmFileError.damaged(
                            offset: Int(truncatingIfNeeded: root),
                            reason: "a dictionary has another kind of keys")
                    }
                    try body(key, Value(raw, column, level: level, file, view))
                }
            }
        }
    }
}

extension RawValue {
    /// Throws if a value in a dictionary, which is stored like a value of any type, does not have the column's type.
    package func checkType(_ column: ColumnLayout, _ root: Int64) throws(RealmFileError) {
        if column.element.type == .mixed { return }
        switch self {
        case .null, .unresolved: return
        default:
            guard type == column.element.type else {
                throw .damaged(
                    offset: Int(truncatingIfNeeded: root), reason: "a dictionary has a value of another type")
            }
        }
    }
}
