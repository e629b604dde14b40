/// A part of a device in memory, which moves along as the device is read.
struct FileWindow: ~Copyable {
    /// The usual size of a window, in bytes. It grows when more bytes are requested at once.
    static let usualCapacity = 1 << 20

    let size: Int
    let device: any JournalDevice
    private var buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var count = 0

    /// Creates an empty window on the first `size` bytes of a device.
    init(_ device: any JournalDevice, size: Int, capacity: Int = FileWindow.usualCapacity) {
        self.device = device
        self.size = size
        buffer = FileWindow.allocate(min(size, capacity))
    }

    deinit { buffer.deallocate() }

    /// Returns `length` bytes from `offset`, or as many as there are before the end. They are valid until the next call, and
    /// aligned to 8 if all requested offsets are.
    mutating func bytes(
        at offset: Int, count length: Int
    ) throws(JournalError) -> UnsafeRawBufferPointer {
        let end = offset + min(length, size - offset)
        if offset < start || end > start + count { try move(to: offset, atLeast: end - offset) }
        return UnsafeRawBufferPointer(rebasing: buffer[offset - start..<end - start])
    }

    /// Returns the bytes of the window from `offset`: at least 32, or all to the end of the file.
    mutating func available(at offset: Int) throws(JournalError) -> UnsafeRawBufferPointer {
        let needed = try bytes(at: offset, count: RecordHeader.size)
        return UnsafeRawBufferPointer(start: needed.baseAddress, count: start + count - offset)
    }

    private mutating func move(to offset: Int, atLeast length: Int) throws(JournalError) {
        if length > buffer.count {
            buffer.deallocate()
            buffer = FileWindow.allocate(length)
        }
        start = offset
        count = 0
        let wanted = min(buffer.count, size - offset)
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        guard try device.read(into: part, at: offset) == wanted else {
            throw .corrupt(offset: offset, reason: "the file became shorter while it was read")
        }
        count = wanted
    }

    private static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        .allocate(byteCount: count, alignment: 16)
    }
}
