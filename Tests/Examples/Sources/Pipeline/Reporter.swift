import Foundation
import Kivo

/// Sums up the words of documents that were counted.
actor Reporter {
    private let configuration: Realm.Configuration
    private(set) var totals: [String: Int] = [:]

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    /// Sums up until so many documents are done.
    func run(until count: Int) async throws {
        let realm = try await Realm.open(configuration: configuration)
        let counted = realm.objects(Document.self).where { $0.stage == .counted }
        var done = 0
        for await _ in counted.changes {
            let documents = Array(counted)
            for document in documents {
                for entry in document.words { totals[entry.key, default: 0] += entry.value }
            }
            try await realm.asyncWrite { for document in documents { document.stage = .reported } }
            done += documents.count
            if done >= count { return }
        }
    }
}
