import Foundation
import Kivo

// Documents go through two actors, each with a realm of its own. The actors do not call each other: each finds its work in the
// data.

@main
struct Program {
    @MainActor static func main() async throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: "pipeline", objectTypes: [Document.self])
        let realm = try await Realm(configuration: configuration)
        let (counter, reporter) = (Counter(configuration), Reporter(configuration))
        let texts = (0..<50).map { "sun rain \($0.isMultiple(of: 2) ? "sun" : "wind")" }
        let counting = Task { try await counter.run(until: texts.count) }
        let reporting = Task { try await reporter.run(until: texts.count) }
        for (id, text) in texts.enumerated() {
            try await realm.asyncWrite {
                _ = realm.create(Document.self, value: ["id": id, "text": text])
            }
        }
        try await counting.value
        try await reporting.value
        for (word, count) in await reporter.totals.sorted(by: { $0.key < $1.key }) { print(word, count) }
    }
}
