import XCTest

@testable import KivoEngine

/// The kept versions of one persistent value, each with the model that it has to equal for as long as it is kept.
struct VersionedModel<Value, Model> {
    struct Version {
        var value: Value
        var model: Model
        /// The memory that the transaction of this version replaced.
        var retired: RetireList
    }

    let heap = Heap()
    private(set) var versions: [Version]
    private var transactions: UInt64 = 0

    init(_ value: Value, _ model: Model) {
        versions = [Version(value: value, model: model, retired: RetireList())]
    }

    var newest: Version { versions[versions.count - 1] }

    /// Runs a transaction on top of the newest version. `body` returns whether it is to be committed.
    mutating func transact(_ body: (inout Value, inout Model, WriteMemory) -> Bool) {
        transactions += 1
        let memory = WriteMemory(id: transactions, heap: heap)
        var (value, model) = (newest.value, newest.model)
        if body(&value, &model, memory) {
            versions.append(Version(value: value, model: model, retired: memory.commit()))
        } else {
            (value as? PersistentSequence)?.releaseElements(storedBy: memory)
            memory.cancel()
        }
    }

    /// Gives up the oldest version, freeing what only it could see.
    mutating func dropOldest() {
        versions.removeFirst()
        versions[0].retired.free(to: heap)
    }

    /// Gives up all versions but the newest.
    mutating func dropOld() {
        while versions.count > 1 { dropOldest() }
    }

    /// Gives up everything; nothing may be left in memory.
    mutating func destroy(_ pool: ValuePool? = nil, _ destroyValue: (Value) -> Void) {
        dropOld()
        destroyValue(versions.removeLast().value)
        XCTAssertEqual(heap.liveBlockCount, 0)
        pool?.checkOwnership()
    }
}
