import KivoEngine

/// A key of an unmanaged map, which is its bytes.
struct StoredKey<Key: _MapKey>: Hashable, Comparable {
    let key: Key

    init(_ key: Key) { self.key = key }

    static func == (a: StoredKey, b: StoredKey) -> Bool { Cell.haveSameBytes(a.key._mapKey, b.key._mapKey) }

    static func < (a: StoredKey, b: StoredKey) -> Bool {
        a.key._mapKey.utf8.lexicographicallyPrecedes(b.key._mapKey.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = key._mapKey
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
