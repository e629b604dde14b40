#if !os(Windows) && !os(WASI)

import Dispatch
import Foundation
import Kivo
import KivoEngine
import KivoJournal
import XCTest

/// The system takes long to close a large file that has no name any more: no commit waits for that.
final class CompactionStallTests: FileTestCase {
    func testACommitWhileTheReplacedFileIsClosed() throws {
        let (closing, committed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isReplaced = Lock(false)
        let waited = Lock<DispatchTimeoutResult?>(nil)
        var calls = FileCalls()
        calls.rename = {
            isReplaced.withLock { $0 = true }
            return FileCalls.system.rename($0, $1)
        }
        calls.close = { file in
            let isFirst = isReplaced.withLock { isReplaced in
                waited.withLock { waited in
                    guard isReplaced, waited == nil else { return false }
                    waited = .success
                    return true
                }
            }
            if isFirst {
                closing.signal()
                let result = committed.wait(timeout: .now() + 60)
                waited.withLock { $0 = result }
            }
            return FileCalls.system.close(file)
        }
        var configuration = configuration
        configuration.makeDevice = { [calls] path, isReadOnly in
            try FileDevice.open(path: path, readOnly: isReadOnly, isShared: true, calls: calls)
        }
        (configuration.checkpoints.allowance, configuration.checkpoints.smallestTail) = (1, 1)
        configuration.checkpoints.tailShare = 1 << 10
        try withRealm(configuration) { realm in
            try realm.write { realm.add(Dog()) }
            // The compaction is made in the background, while there is nothing else to do.
            XCTAssertEqual(closing.wait(timeout: .now() + 60), .success, "the file was never replaced")
            try realm.write { realm.objects(Dog.self)[0].age = 1 }
            committed.signal()
        }
        try waitUntilClosed()
        XCTAssertEqual(waited.withLock { $0 }, .success, "the commit waited")
        XCTAssertEqual(try withRealm { realm in realm.objects(Dog.self).map(\.age) }, [1])
    }
}

#endif
