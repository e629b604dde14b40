extension PageChunk {
    /// Writes a value of a column, or an element, but no sequence. The nulls of words and pairs of words are written separately.
    func write(_ cell: Cell) {
        switch cell {
        case .null: write(number: 0)
        case .word(let word): write(word: word)
        case .wide(let a, let b):
            write(word: a)
            write(word: b)
        case .string(var string):
            string.withUTF8 {
                write(length: $0.count)
                write(bytes: UnsafeRawBufferPointer($0))
            }
        case .bytes(let bytes):
            write(length: bytes.count)
            bytes.withUnsafeBytes { write(bytes: $0) }
        case .link(let key): write(number: key)
        case .typedWord, .typedWide, .typedLink: write(any: cell)
        }
    }

    /// Writes the length of a string or of bytes, plus one because 0 stands for null.
    private func write(length: Int) { write(number: doublesLengths ? (length + 1) * 2 : length + 1) }

    /// Writes a mark in place of a string or bytes: the next reference leads to the value.
    func write(referenceTo large: LargeSlot, isAny: Bool) {
        if isAny { write(byte: (large.isString ? AnyTag.string : .bytes).rawValue) }
        write(number: 1)
    }

    /// Writes a value of any type: its tag, then the value.
    func write(any cell: Cell) {
        write(byte: cell.anyTag.rawValue)
        switch cell {
        case .null: break
        case .typedWord(let word, _): write(word: word)
        case .typedWide(let a, let b, _):
            write(word: a)
            write(word: b)
        case .typedLink(let row):
            write(number: row.table)
            write(number: row.key)
        default: write(cell)
        }
    }

    /// Writes the elements of a leaf of a sequence.
    ///
    /// - Parameter isSorted: whether large elements are also written in place.
    func write(elementsOf node: SequenceNode, _ element: ElementKind, isSorted: Bool) {
        for index in 0..<node.count {
            let slot = node.elements + index * element.stride
            if !isSorted, let large = element.large(slot) {
                write(referenceTo: large, isAny: element == .any)
                continue
            }
            switch element {
            case .word: write(word: slot.load(as: UInt64.self))
            case .link: write(number: slot.load(as: ObjectKey.self))
            case .any: write(any: element.load(slot))
            case .wide, .string, .bytes: write(element.load(slot))
            case .optionalWord, .optionalWide:
                let cell = element.load(slot)
                write(byte: cell == .null ? 0 : 1)
                if cell != .null { write(cell) }
            }
        }
    }

    /// Writes ascending keys, each as the difference from the previous one.
    func write(keysOf node: SequenceNode) {
        var last: ObjectKey = 0
        let keys = node.elements.assumingMemoryBound(to: ObjectKey.self)
        for index in 0..<node.count {
            write(number: keys[index] - last)
            last = keys[index]
        }
    }
}
