import KivoEngine

extension Cell {
    /// A textual description of the value.
    var text: String {
        switch self {
        case .null: "nil"
        case .word(let word): "\(Int64(bitPattern: word))"
        case .typedWord(let word, _): "\(Int64(bitPattern: word))"
        case .typedLink(let row): "object \(row.key)"
        case .wide(let a, let b), .typedWide(let a, let b, _):
            "\(String(a, radix: 16))\(String(b, radix: 16))"
        case .string(let string): string
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .link(let key): "object \(key)"
        }
    }
}
