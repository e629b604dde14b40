import Foundation
import KivoObserving

/// The state of all downloads, which views of any kind could show. A class without a superclass is observed everywhere alike.
final class Totals: KeyValueObservable {
    @Observed var received = 0
    @Observed var pieces = 0
    @Observed var ended: Set<String> = []

    /// Depends on the properties that it reads.
    var percent: Int { pieces == 0 ? 0 : received * 100 / pieces }
}

/// A progress display on the console: a bar that grows by quarters.
///
/// The downloads run on several threads, and their observers with them.
final class Display: @unchecked Sendable {
    // Proof of `Sendable`: the condition guards everything that changes.
    private let condition = NSCondition()
    private let totals = Totals()
    private var tokens: [KeyValueObservation] = []
    private var downloadTokens: [NSKeyValueObservation] = []

    init(_ downloads: [Download]) {
        totals.pieces = downloads.reduce(0) { $0 + $1.pieces }
        tokens = [
            totals.observe(\.percent, options: [.old, .new]) { _, change in
                Self.show(from: change.oldValue!, to: change.newValue!)
            },
            totals.observe(\.ended) { [unowned self] _, _ in condition.broadcast() },
        ]
        for download in downloads { observe(download) }
    }

    private func observe(_ download: Download) {
        downloadTokens += [
            download.observe(\.received) { [unowned self] _, _ in
                condition.withLock { totals.received += 1 }
            },
            download.observe(\.isCancelled) { [unowned self] download, _ in
                condition.withLock { totals.pieces -= download.pieces }
            },
            download.observe(\.isFinished) { [unowned self] download, _ in
                condition.withLock { _ = totals.ended.insert(download.file) }
            },
        ]
    }

    private static func show(from old: Int, to new: Int) {
        if old / 25 >= new / 25 { return }
        let length = new / 5
        let bar = String(repeating: "#", count: length) + String(repeating: ".", count: 20 - length)
        print("[\(bar)] \(new) %")
    }

    /// Waits until all of some downloads have ended, and returns how many pieces were received.
    func wait(for downloads: [Download]) -> Int {
        condition.withLock {
            while !downloads.allSatisfy({ totals.ended.contains($0.file) }) { condition.wait() }
            return totals.received
        }
    }
}
