import KivoRealmFiles

extension ValueDumper {
    /// Writes the elements of a list or a set.
    ///
    /// - Returns: Whether there are links to missing objects, which are left out.
    mutating func dumpElements(_ root: Int64, _ column: ColumnLayout, level: Int) throws -> Bool {
        try ColumnLayout.check(level: level, of: root)
        try writer.write("[")
        var cursor = try ElementCursor(root: root, column.element, view)
        var hasUnresolved = false
        var isFirst = true
        while let leaf = try cursor.next() {
            try limit.spend(1 + leaf.count, at: Int(truncatingIfNeeded: root))
            for index in 0..<leaf.count {
                let value = try leaf.value(at: index, view)
                if case .unresolved = value, column.element.type == .link {
                    hasUnresolved = true
                    continue
                }
                if !isFirst { try writer.write(",") }
                isFirst = false
                try dumpElement(value, column, level: level)
            }
        }
        try writer.write("]")
        return hasUnresolved
    }

    /// Writes the pairs of a dictionary, ordered by key.
    mutating func dumpPairs(_ root: Int64, _ column: ColumnLayout, level: Int) throws {
        try ColumnLayout.check(level: level, of: root)
        try limit.spend(
            PairCursor.count(root: root, intKeys: column.hasIntKeys, view), at: Int(truncatingIfNeeded: root))
        try writer.write("[")
        var pairs = try PairCursor(root: root, intKeys: column.hasIntKeys, view)
        var isFirst = true
        while let (key, value) = try pairs.next() {
            try value.checkType(column, root)
            try writer.write(isFirst ? "[" : ",[")
            isFirst = false
            if case .string(let bytes) = key {
                try spend(bytes)
                try dumpString(bytes)
            } else if case .int(let number) = key {
                try writer.write(number: number)
            }
            try writer.write(",")
            try dumpElement(value, column, level: level)
            try writer.write("]")
        }
        try writer.write("]")
    }

    /// Writes the unchanged keys of the current object's links in columns with links to missing objects.
    mutating func dumpRawLinks(
        _ names: [[UInt8]], _ columns: [ColumnLayout], _ leaves: [Leaf], _ index: Int
    ) throws {
        try writer.write(",\"rawLinks\":{")
        for (position, column) in unresolved.enumerated() {
            if position > 0 { try writer.write(",") }
            try writer.write(names[column])
            try writer.write(":")
            guard case .list(let root) = try leaves[column].value(at: index, view) else {
                try writer.write("\"unresolved\"")
                continue
            }
            // The keys of links are stored as integers, like those of any other list.
            var cursor = try ElementCursor(root: root, .key, view)
            var isFirst = true
            try writer.write("[")
            while let leaf = try cursor.next() {
                for index in 0..<leaf.count {
                    guard case .int(let key) = try leaf.value(at: index, view) else { continue }
                    if !isFirst { try writer.write(",") }
                    isFirst = false
                    try writer.write(number: key)
                }
            }
            try writer.write("]")
        }
        try writer.write("}")
        unresolved.removeAll(keepingCapacity: true)
    }
}
