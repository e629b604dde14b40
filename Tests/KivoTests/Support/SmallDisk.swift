import Dispatch
import KivoEngine
import KivoJournal

/// A journal's device in memory that takes no more bytes than it is allowed to. It outlives its realms.
final class SmallDisk: JournalDevice {
    private struct State {
        var bytes: [UInt8] = []
        var bytesLeft = Int.max
        var flushes = 0
    }

    private let state: Lock<State>

    init(_ bytes: [UInt8] = []) { state = Lock(State(bytes: bytes)) }

    var bytes: [UInt8] { state.withLock { $0.bytes } }

    /// How many bytes more the device lets be written.
    var bytesLeft: Int {
        get { state.withLock { $0.bytesLeft } }
        set { state.withLock { $0.bytesLeft = newValue } }
    }

    func size() throws(JournalError) -> Int { bytes.count }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        let found = bytes.dropFirst(offset).prefix(buffer.count)
        buffer.copyBytes(from: found)
        return found.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        let bytes = Array(bytes)
        let isWhole = state.withLock { state in
            let fitting = bytes.prefix(state.bytesLeft)
            if state.bytesLeft != .max { state.bytesLeft -= fitting.count }
            let end = offset + fitting.count
            if end > state.bytes.count {
                state.bytes.append(contentsOf: repeatElement(0, count: end - state.bytes.count))
            }
            state.bytes.replaceSubrange(offset..<end, with: fitting)
            return fitting.count == bytes.count
        }
        if !isWhole { throw .noSpace }
    }

    /// How often what was written was made durable.
    var flushes: Int { state.withLock { $0.flushes } }

    /// Taken while a flush is under way, or to keep it from ending.
    private let gate = DispatchSemaphore(value: 1)

    /// Keeps flushes from ending until they are released.
    func hold() { gate.wait() }

    func release() { gate.signal() }

    func synchronize() throws(JournalError) {
        gate.wait()
        gate.signal()
        state.withLock { $0.flushes += 1 }
    }

    func truncate(to size: Int) throws(JournalError) {
        state.withLock { $0.bytes.removeLast($0.bytes.count - size) }
    }

    func close() {}
}
