import Foundation
import KivoEngine
import KivoJournal

/// A writer of encoded change sets; see `ChangeSet+Encoding.swift` for the layout.
struct ChangeWriter {
    private var writer = ByteWriter()
    private var names: [String: Int] = [:]

    /// Returns the bytes, with the checksum.
    func finish() -> [UInt8] {
        var writer = writer
        writer.write(word: writer.bytes.withUnsafeBytes(ChangeEncoding.checksum))
        return writer.bytes
    }

    mutating func write(_ changes: ChangeSet) {
        for byte in ChangeEncoding.magic + [ChangeEncoding.version] { writer.write(byte) }
        writer.write(word: changes.lineage)
        writer.write(changes.byClass.count)
        for name in changes.classNames {
            write(name: name)
            writer.write(changes.byClass[name]!.count)
            for change in changes.byClass[name]! { write(change) }
        }
    }

    private mutating func write(name: String) {
        if let number = names[name] { return writer.write(number + 1) }
        names[name] = names.count
        writer.write(0)
        writer.write(name)
    }

    private mutating func write(_ change: ChangeSet.Change) {
        let kind: UInt8 =
            switch change.kind {
            case .inserted: 0
            case .deleted: 1
            case .modified: 2
            }
        writer.write(kind | (change.primaryKey == nil ? 0 : ChangeEncoding.primaryKeyMark))
        writeIdentity(change.object)
        writer.write(change.properties.count)
        for property in change.properties { write(property) }
    }

    private mutating func writeIdentity(_ object: ChangeSet.ObjectID) {
        if let primaryKey = object.primaryKey { write(primaryKey) }
        writer.write(word: UInt64(bitPattern: object.key))
    }

    private mutating func write(_ property: ChangeSet.Property) {
        write(name: property.name)
        func form(_ form: ChangeEncoding.Form) -> UInt8 {
            form.rawValue | (property.isCollection ? ChangeEncoding.collectionMark : 0)
        }
        switch property.edit {
        case .values(nil, let new):
            writer.write(form(.inserted))
            write(new ?? .null)
        case .values(let old?, nil):
            writer.write(form(.deleted))
            write(old)
        case .values(let old?, let new?):
            writer.write(form(.replaced))
            write(old)
            write(new)
        case .list(let edits):
            writer.write(form(.list))
            write(edits)
        case .set(let edits):
            writer.write(form(.set))
            write(edits.removed)
            write(edits.inserted)
        case .dictionary(let edits):
            writer.write(form(.dictionary))
            writer.write(edits.entries.count)
            for entry in edits.entries {
                writer.write(entry.key)
                for value in [entry.old, entry.new] {
                    writer.write(value != nil)
                    if let value { write(value) }
                }
            }
        }
    }

    private mutating func write(_ edits: ChangeSet.ListEdits) {
        writer.write(edits.oldCount)
        let runs = edits.change.runs
        writer.write(runs.count)
        for run in runs {
            writer.write(run.origin + 1)
            writer.write(run.count)
            writer.write(run.moveOrder)
            writer.write(run.isReplaced)
        }
        for elements in [edits.removed, edits.inserted] {
            writer.write(elements.count)
            for (index, value) in elements.sorted(by: { $0.key < $1.key }) {
                writer.write(index)
                write(value)
            }
        }
    }

    private mutating func write(_ value: ChangeSet.Value) {
        writer.write(value.rank)
        switch value {
        case .null: break
        case .bool(let value): writer.write(value)
        case .int(let value): writer.write(word: value.word)
        case .float(let value): writer.write(word: UInt64(value.bitPattern))
        case .double(let value): writer.write(word: value.bitPattern)
        case .string(let value): writer.write(value)
        case .data(let value): writer.write([UInt8](value))
        case .date(let value): writer.write(word: value.word)
        case .decimal128(let value): write(value.words)
        case .objectId(let value): write(value.words)
        case .uuid(let value): write(value.words)
        case .object(let object):
            write(name: object.className)
            writer.write(object.primaryKey != nil)
            writeIdentity(object)
        case .embedded(let properties):
            writer.write(properties.count)
            for name in properties.keys.sorted() {
                write(name: name)
                write(properties[name]!)
            }
        case .list(let values):
            writer.write(values.count)
            for value in values { write(value) }
        case .set(let values): write(values)
        case .dictionary(let entries):
            writer.write(entries.count)
            for entry in entries {
                writer.write(entry.key)
                write(entry.value)
            }
        }
    }

    private mutating func write(_ words: (UInt64, UInt64)) {
        writer.write(word: words.0)
        writer.write(word: words.1)
    }

    /// Writes the elements of a set, in the order of their bytes.
    private mutating func write(_ values: Set<ChangeSet.Value>) {
        writer.write(values.count)
        let ordered = values.map { value in
            // Names that occur first in an element are written in each: their numbers would depend on the order.
            var element = ChangeWriter()
            element.write(value)
            return element.writer.bytes
        }.sorted { $0.lexicographicallyPrecedes($1) }
        for bytes in ordered { writer.write(bytes) }
    }
}
