import KivoEngine

/// A type of keys of a ``Map``: `String`.
public protocol _MapKey: Hashable, Comparable {
    init(_mapKey: String)
    var _mapKey: String { get }
}

extension String: _MapKey {
    public init(_mapKey: String) { self = _mapKey }
    public var _mapKey: String { self }
}

/// A key of an unmanaged map, which is compared by its bytes.
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
