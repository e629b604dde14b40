extension RealmFile {
    /// A list or a set in a file, whose elements are read on access.
    ///
    /// It retains the open file.
    public struct List: Sendable {
        private let file: RealmFile
        private let root: Int64
        private let column: ColumnLayout
        private let level: Int
        /// The number of stored elements. In a list or a set of objects they include links to missing objects, which
        /// ``forEach(_:)`` skips.
        public let storedCount: Int

        init(file: RealmFile, root: Int64, column: ColumnLayout, level: Int) throws(RealmFileError) {
            try ColumnLayout.check(level: level, of: root)
            self.file = file
            self.root = root
            self.column = column
            self.level = level
            storedCount = try file.reading { view throws(RealmFileError) in
                try ElementCursor(root: root, column.element, view).count
            }
        }

        /// A Boolean value that indicates whether each element occurs only once.
        public var isSet: Bool { column.collection == .set }

        /// Calls `body` with each element in the order of the file.
        ///
        /// Links to missing objects are skipped; in collections of values of any type they are null.
        ///
        /// - Throws: Errors of `body`, and ``RealmFileError`` if the file is damaged.
        public func forEach(_ body: (Value) throws -> Void) throws {
            try file.reading { view in
                var cursor = try ElementCursor(root: root, column.element, view)
                while let leaf = try cursor.next() {
                    for index in 0..<leaf.count {
                        let raw = try leaf.value(at: index, view)
                        if case .unresolved = raw, column.element.type != .mixed { continue }
                        try body(Value(raw, column, level: level, file, view))
                    }
                }
            }
        }

        /// Returns the stored element at a position, or null for a link to a missing object.
        ///
        /// - Precondition: The position is at least 0 and less than ``storedCount``.
        /// - Throws: ``RealmFileError`` if the file is damaged.
        public func value(at position: Int) throws(RealmFileError) -> Value {
            precondition(position >= 0 && position < storedCount, "there is no element at \(position)")
            return try file.reading { view throws(RealmFileError) in
                let raw = try ElementCursor.element(position, root: root, column.element, view)
                return try Value(raw, column, level: level, file, view)
            }
        }
    }
}

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
