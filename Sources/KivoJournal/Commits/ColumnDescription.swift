import KivoEngine

extension ByteWriter {
    /// Writes a column. `writeTarget` writes the table to which it links, after the rest.
    mutating func write(_ column: ColumnSpec, _ writeTarget: (inout ByteWriter, TableID) -> Void) {
        write(column.name)
        write(column.kind.rawValue)
        write(column.element?.rawValue ?? 0xFF)
        write(column.order.rawValue)
        write(column.typeCode)
        let flags = [
            column.isOptional, column.isOwning, column.isIndexed, column.isPrimaryKey, column.target != nil,
        ]
        write(flags.enumerated().reduce(UInt8(0)) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
        if let target = column.target { writeTarget(&self, target) }
    }
}

extension ByteReader {
    /// Reads a column, and whether the table to which it links follows.
    mutating func readColumn() throws(JournalError) -> (spec: ColumnSpec, hasTarget: Bool) {
        let name = try readString()
        guard let kind = ColumnKind(rawValue: try readByte()) else {
            throw malformed("a column is of an unknown kind")
        }
        let elementCode = try readByte()
        let element = ElementKind(rawValue: elementCode)
        guard element != nil || elementCode == 0xFF else {
            throw malformed("a sequence is of unknown elements")
        }
        guard let order = SequenceOrder(rawValue: try readByte()) else {
            throw malformed("a sequence is of an unknown order")
        }
        let typeCode = try readByte()
        let flags = try readByte()
        guard flags < 32 else { throw malformed("a column has unknown attributes") }
        let spec = ColumnSpec(
            name: name, kind: kind, isOptional: flags & 1 != 0, element: element, order: order,
            isOwning: flags & 2 != 0, isIndexed: flags & 4 != 0, isPrimaryKey: flags & 8 != 0,
            typeCode: typeCode)
        return (spec, flags & 16 != 0)
    }
}
