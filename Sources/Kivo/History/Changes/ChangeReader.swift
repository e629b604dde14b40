import Foundation
import KivoEngine
import KivoJournal

/// A reader of encoded change sets; see `ChangeSet+Encoding.swift` for the layout. It trusts nothing, because a checksum does not detect
/// forgery.
struct ChangeReader {
    private var reader: ByteReader
    private var names: [String] = []
    /// Whether the bytes are an element of a set, which contains no sets.
    private var isElement = false

    private init(_ bytes: UnsafeRawBufferPointer) { reader = ByteReader(bytes, of: "a change set") }

    /// Reads a change set from all of some bytes.
    ///
    /// - Throws: ``ChangeSet/EncodingError``.
    static func read(_ bytes: UnsafeRawBufferPointer) throws(ChangeSet.EncodingError) -> ChangeSet {
        guard bytes.starts(with: ChangeEncoding.magic), bytes.count > ChangeEncoding.magic.count else {
            throw .init(message: "The bytes are not an encoded change set.")
        }
        let version = bytes[ChangeEncoding.magic.count]
        guard version == ChangeEncoding.version else {
            throw .init(
                message: "The change set was encoded by a later version of Kivo: its layout is \(version).")
        }
        let end = bytes.count - ChangeEncoding.checksumSize
        let start = ChangeEncoding.magic.count + 1
        guard end >= start,
            ChangeEncoding.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
                == UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self))
        else { throw .init(message: "The change set is damaged: its checksum is wrong.") }
        var reader = ChangeReader(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        do {
            return try reader.readChanges()
        } catch {
            if case .corrupt(_, let reason) = error {
                throw .init(message: "The change set is damaged: \(reason).")
            }
            throw .init(message: "The change set is damaged: \(error).")
        }
    }

    private mutating func readChanges() throws(JournalError) -> ChangeSet {
        var result = ChangeSet()
        result.lineage = try reader.readWord()
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let name = try readName()
            var changes: [ChangeSet.Change] = []
            for _ in 0..<(try reader.readCount(ofAtLeast: 10)) {
                let change = try readChange(name)
                if let last = changes.last, !(last.object < change.object) {
                    throw reader.malformed("objects are not in order")
                }
                changes.append(change)
            }
            guard result.byClass[name] == nil, !changes.isEmpty else {
                throw reader.malformed("a class occurs twice, or has no changes")
            }
            result.byClass[name] = changes
        }
        guard reader.isAtEnd else { throw reader.malformed("something follows its end") }
        return result
    }

    private mutating func readName() throws(JournalError) -> String {
        let number = try reader.readNumber()
        if number > 0 {
            guard number <= names.count else { throw reader.malformed("a name is unknown") }
            return names[number - 1]
        }
        names.append(try reader.readString())
        return names.last!
    }

    private mutating func readChange(_ className: String) throws(JournalError) -> ChangeSet.Change {
        let byte = try reader.readByte()
        let kind: ChangeSet.Change.Kind
        switch byte & ~ChangeEncoding.primaryKeyMark {
        case 0: kind = .inserted
        case 1: kind = .deleted
        case 2: kind = .modified
        default: throw reader.malformed("a kind is unknown")
        }
        let object = try readIdentity(
            className, hasPrimaryKey: byte & ChangeEncoding.primaryKeyMark != 0, depth: 0)
        var properties: [ChangeSet.Property] = []
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let property = try readProperty(of: kind)
            if let last = properties.last, !(last.name < property.name) {
                throw reader.malformed("properties are not in order")
            }
            properties.append(property)
        }
        if kind == .modified, properties.isEmpty {
            throw reader.malformed("an object is modified in no property")
        }
        return ChangeSet.Change(kind, object, properties)
    }

    private mutating func readIdentity(
        _ className: String, hasPrimaryKey: Bool, depth: Int
    ) throws(JournalError) -> ChangeSet.ObjectID {
        var primaryKey: ChangeSet.Value?
        if hasPrimaryKey {
            let value = try readValue(depth + 1)
            switch value {
            case .null, .int, .string, .objectId, .uuid: primaryKey = value
            default: throw reader.malformed("a primary key is of another type")
            }
        }
        return ChangeSet.ObjectID(
            className: className, primaryKey: primaryKey, key: Int64(bitPattern: try reader.readWord()))
    }

    private mutating func readProperty(
        of kind: ChangeSet.Change.Kind
    ) throws(JournalError) -> ChangeSet.Property {
        let name = try readName()
        let byte = try reader.readByte()
        let isCollection = byte & ChangeEncoding.collectionMark != 0
        guard let form = ChangeEncoding.Form(rawValue: byte & ~ChangeEncoding.collectionMark) else {
            throw reader.malformed("a form is unknown")
        }
        switch (form, kind) {
        case (.inserted, .inserted):
            return ChangeSet.Property(name, old: nil, new: try readValue(0), isCollection: isCollection)
        case (.deleted, .deleted):
            return ChangeSet.Property(name, old: try readValue(0), new: nil, isCollection: isCollection)
        case (.replaced, .modified):
            let old = try readValue(0)
            return ChangeSet.Property(name, old: old, new: try readValue(0), isCollection: isCollection)
        case (.list, .modified) where isCollection:
            return ChangeSet.Property(name, .list(try readListEdits()))
        case (.set, .modified) where isCollection:
            let removed = try readSet(0)
            return ChangeSet.Property(
                name, .set(ChangeSet.SetEdits(removed: removed, inserted: try readSet(0))))
        case (.dictionary, .modified) where isCollection:
            return ChangeSet.Property(name, .dictionary(try readDictionaryEdits()))
        default: throw reader.malformed("the difference of a property does not fit that of its object")
        }
    }

    private mutating func readListEdits() throws(JournalError) -> ChangeSet.ListEdits {
        let oldCount = try reader.readNumber()
        var runs: [SequenceChange.Run] = []
        for _ in 0..<(try reader.readCount(ofAtLeast: 4)) {
            let origin = try reader.readNumber() - 1
            runs.append(
                SequenceChange.Run(
                    origin: origin, count: try reader.readNumber(), moveOrder: try reader.readNumber(),
                    isReplaced: try reader.readFlag()))
        }
        let removed = try readElements()
        let inserted = try readElements()
        guard let change = SequenceChange(oldCount: oldCount, runs: runs, isCleared: false) else {
            throw reader.malformed("the edits of a list do not fit together")
        }
        // Counted first: positions without elements can be more than memory holds.
        let unmarked = runs.filter { !$0.isNew && !$0.isReplaced && $0.moveOrder == 0 }.reduce(0) {
            $0 + $1.count
        }
        guard removed.count == oldCount - unmarked, inserted.count == change.newCount - unmarked else {
            throw reader.malformed("the elements of a list's edits are not complete")
        }
        var isComplete = true
        ChangeSet.ListEdits.forEachMark(in: change) { old, new in
            if let old, removed[old] == nil { isComplete = false }
            if let new, inserted[new] == nil { isComplete = false }
        }
        guard isComplete else { throw reader.malformed("the elements of a list's edits are not complete") }
        return ChangeSet.ListEdits(change, removed: removed, inserted: inserted)
    }

    private mutating func readElements() throws(JournalError) -> [Int: ChangeSet.Value] {
        var elements: [Int: ChangeSet.Value] = [:]
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let index = try reader.readNumber()
            guard elements.updateValue(try readValue(0), forKey: index) == nil else {
                throw reader.malformed("an element occurs twice")
            }
        }
        return elements
    }

    private mutating func readDictionaryEdits() throws(JournalError) -> ChangeSet.DictionaryEdits {
        var entries: [ChangeSet.DictionaryEdits.Edit] = []
        for _ in 0..<(try reader.readCount(ofAtLeast: 3)) {
            let key = try reader.readString()
            let old = try reader.readFlag() ? try readValue(0) : nil
            let new = try reader.readFlag() ? try readValue(0) : nil
            if let last = entries.last, !last.key.utf8.lexicographicallyPrecedes(key.utf8) {
                throw reader.malformed("entries are not in order")
            }
            entries.append(ChangeSet.DictionaryEdits.Edit(key: key, old: old, new: new))
        }
        return ChangeSet.DictionaryEdits(entries)
    }

    private mutating func readValue(_ depth: Int) throws(JournalError) -> ChangeSet.Value {
        guard depth <= ChangeEncoding.largestDepth else {
            throw reader.malformed("values are nested too deep")
        }
        switch try reader.readByte() {
        case 0: return .null
        case 1: return .bool(try reader.readFlag())
        case 2: return .int(Int(truncatingIfNeeded: Int64(bitPattern: try reader.readWord())))
        case 3: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try reader.readWord())))
        case 4: return .double(Double(bitPattern: try reader.readWord()))
        case 5: return .string(try reader.readString())
        case 6: return .data(Data(try reader.readBytes()))
        case 7: return .date(Date(word: try reader.readWord()))
        case 8: return .decimal128(Decimal128(words: try readWords()))
        case 9:
            let words = try readWords()
            guard words.1 <= UInt32.max else { throw reader.malformed("an object id has too many bytes") }
            return .objectId(ObjectId(words: words))
        case 10: return .uuid(UUID(words: try readWords()))
        case 11:
            let name = try readName()
            return .object(
                try readIdentity(name, hasPrimaryKey: try reader.readFlag(), depth: depth))
        case 12:
            var properties: [String: ChangeSet.Value] = [:]
            for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
                let name = try readName()
                guard properties.updateValue(try readValue(depth + 1), forKey: name) == nil else {
                    throw reader.malformed("a property occurs twice")
                }
            }
            return .embedded(properties)
        case 13:
            var values: [ChangeSet.Value] = []
            for _ in 0..<(try reader.readCount()) { values.append(try readValue(depth + 1)) }
            return .list(values)
        case 14 where !isElement: return .set(try readSet(depth + 1))
        case 15:
            var entries: [ChangeSet.Entry] = []
            for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
                let key = try reader.readString()
                if let last = entries.last, !last.key.utf8.lexicographicallyPrecedes(key.utf8) {
                    throw reader.malformed("entries are not in order")
                }
                entries.append(ChangeSet.Entry(key: key, value: try readValue(depth + 1)))
            }
            return .dictionary(entries)
        default: throw reader.malformed("a value is of an unknown type")
        }
    }

    private mutating func readWords() throws(JournalError) -> (UInt64, UInt64) {
        let first = try reader.readWord()
        return (first, try reader.readWord())
    }

    private mutating func readSet(_ depth: Int) throws(JournalError) -> Set<ChangeSet.Value> {
        var values: Set<ChangeSet.Value> = []
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let bytes = try reader.readBytes()
            let value = bytes.withUnsafeBytes { bytes in
                Result { () throws(JournalError) in
                    var element = ChangeReader(bytes)
                    element.isElement = true
                    let value = try element.readValue(depth + 1)
                    guard element.reader.isAtEnd else {
                        throw element.reader.malformed("an element is too long")
                    }
                    return value
                }
            }
            guard values.insert(try value.get()).inserted else {
                throw reader.malformed("an element occurs twice")
            }
        }
        return values
    }
}
