import Foundation
import KivoObserving

// Foundation observes operations on Apple's platforms, and KivoObserving does elsewhere.
#if canImport(ObjectiveC)
typealias ObservedOperation = Operation
#else
typealias ObservedOperation = KeyValueOperation
#endif

/// An operation that receives a file in pieces. The pieces are only counted.
final class Download: ObservedOperation, @unchecked Sendable {
    // Only the thread that runs the operation accesses the received pieces; the rest does not change.
    let file: String
    let pieces: Int

    #if canImport(ObjectiveC)
    @objc
    #else
    @Observed
    #endif
    dynamic private(set) var received = 0

    init(_ file: String, pieces: Int) {
        self.file = file
        self.pieces = pieces
    }

    override func main() {
        while received < pieces, !isCancelled { received += 1 }
    }
}
