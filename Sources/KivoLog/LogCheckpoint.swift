/// All data as of one version of a log.
///
/// As bytes it is a realm file that has this version and nothing else, as `FileFormat` of Kivo's documentation describes it. A
/// store that begins with it reads of these bytes what it touches, at any time while it is open, and checks it.
public struct LogCheckpoint: Sendable {
    /// The version.
    public let version: UInt64
    /// What the logs of this package use instead of the bytes.
    package let contents: any Sendable
    private let writeBytes: @Sendable ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

    /// A checkpoint that was kept as bytes.
    ///
    /// - Parameters:
    ///   - version: The version that it was given with.
    ///   - size: How many bytes there are.
    ///   - read: Fills a buffer with the bytes from an offset on, as many as there are, and returns their number. Called at any
    ///     time and on any thread as long as the store is open.
    public init(
        version: UInt64, size: Int,
        read: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Int
    ) {
        let source = CheckpointBytes(size: size, read: read)
        self.init(version: version, contents: source) { body in try source.forEachPart(body) }
    }

    /// A checkpoint that was kept as bytes in memory.
    public init(version: UInt64, bytes: [UInt8]) {
        self.init(version: version, size: bytes.count) { buffer, offset in
            guard offset >= 0, offset < bytes.count else { return 0 }
            let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    package init(
        version: UInt64, contents: any Sendable,
        writing write: @escaping @Sendable ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) {
        (self.version, self.contents, writeBytes) = (version, contents, write)
    }

    /// Gives the bytes in order, in parts that are valid during the call. O(bytes), which are those of all live data.
    public func write(to body: (UnsafeRawBufferPointer) throws -> Void) throws { try writeBytes(body) }

    /// All bytes at once.
    public func bytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try write { bytes.append(contentsOf: $0) }
        return bytes
    }
}

/// The bytes of a checkpoint, wherever they are.
package struct CheckpointBytes: Sendable {
    /// How many there are.
    package let size: Int
    /// Fills a buffer from an offset on; returns how many bytes it got.
    package let read: @Sendable (UnsafeMutableRawBufferPointer, Int) throws -> Int

    fileprivate func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(size, 1 << 18), alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < size {
            let count = try read(buffer, offset)
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }
}
