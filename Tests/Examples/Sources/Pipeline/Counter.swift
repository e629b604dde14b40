import Foundation
import Kivo

/// Counts the words of documents that were received. It has a realm of its own and follows what others commit.
actor Counter {
    private let configuration: Realm.Configuration

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    /// Counts until so many documents are done.
    func run(until count: Int) async throws {
        let realm = try await Realm.open(configuration: configuration)
        let waiting = realm.objects(Document.self).where { $0.stage == .received }
        var done = 0
        // However many documents are added while this is busy, the next turn receives all of them at once.
        for await _ in waiting.changes {
            let documents = Array(waiting)
            try await realm.asyncWrite {
                for document in documents {
                    for word in document.text.split(separator: " ") {
                        document.words[String(word)] = (document.words[String(word)] ?? 0) + 1
                    }
                    document.stage = .counted
                }
            }
            done += documents.count
            if done >= count { return }
        }
    }
}
