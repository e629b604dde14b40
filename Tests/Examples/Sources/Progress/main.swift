import Foundation

let downloads = ["map", "photos", "music", "index", "film"].map { Download($0, pieces: $0.count * 4) }
let display = Display(downloads)
// The index is made when everything else is there, and the film is not wanted any more.
downloads[4].cancel()
for download in downloads[..<3] { downloads[3].addDependency(download) }

let queue = OperationQueue()
queue.maxConcurrentOperationCount = 3
queue.addOperations(downloads, waitUntilFinished: false)
print(display.wait(for: downloads), "pieces")
for download in downloads {
    let state = download.isCancelled ? "cancelled" : "\(download.received) of \(download.pieces)"
    print("\(download.file): \(state)")
}
