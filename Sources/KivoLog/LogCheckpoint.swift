/// All data as of one version of a log.
///
/// Its bytes are a realm file that contains only this version, as `FileFormat` of Kivo's documentation describes it. A store that
/// begins with a checkpoint reads only the bytes that it needs, at any time while it is open, and verifies them. Of a checkpoint
/// whose bytes are elsewhere it makes a local copy first.
public struct LogCheckpoint: Sendable {
    /// The version of the data.
    public let version: UInt64
    package let contents: Contents

    package enum Contents: Sendable {
        /// The bytes that a log has stored.
        case bytes(CheckpointBytes)
        /// What a store or a realm file of this process has instead of bytes.
        case image(any CheckpointImage)
    }

    /// Creates a checkpoint from stored bytes.
    ///
    /// - Parameters:
    ///   - version: The version with which the checkpoint was passed to the log.
    ///   - size: The number of bytes.
    ///   - isLocal: Whether the bytes are on this machine, so that reading them does not fail: they are then read at any time
    ///     while the store is open. Otherwise the store copies all of them before it uses the first. If reading throws, it tries
    ///     again some times from the same offset on.
    ///   - read: Fills a buffer with the bytes that begin at an offset, up to the end of the checkpoint, and returns their
    ///     number. Called on any thread.
    public init(
        version: UInt64, size: Int, isLocal: Bool = false,
        read: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Int
    ) {
        self.init(
            version: version, .bytes(CheckpointBytes(name: nil, size: size, isLocal: isLocal, read: read)))
    }

    /// Creates a checkpoint from stored bytes in memory.
    public init(version: UInt64, bytes: [UInt8]) {
        self.init(version: version, size: bytes.count, isLocal: true) { buffer, offset in
            guard offset >= 0, offset < bytes.count else { return 0 }
            let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    package init(version: UInt64, _ contents: Contents) {
        (self.version, self.contents) = (version, contents)
    }

    /// Calls `body` with the bytes in order, in parts that are valid during the call.
    ///
    /// - Throws: Errors of `body`, and the journal's if the data cannot be read.
    /// - Complexity: O(n) for n bytes, which are those of all live data.
    public func write(to body: (UnsafeRawBufferPointer) throws -> Void) throws {
        switch contents {
        case .bytes(let bytes): try bytes.forEachPart(body)
        case .image(let image): try image.forEachPart(body)
        }
    }

    /// Returns all bytes in one array.
    ///
    /// - Throws: An error of the journal if the data cannot be read.
    /// - Complexity: O(n) for n bytes, which are those of all live data.
    public func bytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try write { bytes.append(contentsOf: $0) }
        return bytes
    }
}

/// A checkpoint in memory or in a realm file, which becomes bytes only for a log that stores bytes.
package protocol CheckpointImage: Sendable {
    /// Calls `body` with the bytes in order, in parts that are valid during the call.
    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws
}

/// The bytes of a checkpoint, in memory or elsewhere.
package struct CheckpointBytes: Sendable {
    /// The path of the file that has the bytes, for messages; nil if they are named after their log.
    package let name: String?
    /// The number of bytes.
    package let size: Int
    /// Whether they can be read at any time.
    package let isLocal: Bool
    /// Fills a buffer with the bytes that begin at an offset; returns the number of bytes that were read.
    package let read: @Sendable (UnsafeMutableRawBufferPointer, Int) throws -> Int

    package init(
        name: String?, size: Int, isLocal: Bool,
        read: @escaping @Sendable (UnsafeMutableRawBufferPointer, Int) throws -> Int
    ) { (self.name, self.size, self.isLocal, self.read) = (name, size, isLocal, read) }

    package func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
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
