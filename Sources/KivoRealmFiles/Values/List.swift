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
