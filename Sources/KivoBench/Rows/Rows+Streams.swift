import Dispatch
import Kivo

extension Rows {
    static var streams: [Row] {
        [
            Row("stream.memory", .delivery, .bytes, .atMost(1_048_576)) { fixtures in
                let commits = fixtures.size(100_000)
                return Samples(try (0..<5).map { _ in try MemoryProbe.stream.askChild(commits) })
            },
            Row("stream.hop", .delivery, .us, .atMost(30), measure: hop),
        ]
    }

    /// Measures from a listener's callback to the same change in a loop over the stream, while another thread writes.
    private static func hop(_ fixtures: Fixtures) throws -> Samples {
        let rounds = fixtures.size(2_000)
        return Samples(
            steps: try MainActorRun.wait {
                let configuration = Realm.Configuration(
                    inMemoryIdentifier: "stream.hop", objectTypes: [Item.self, Holder.self])
                let realm = try await Realm(configuration: configuration)
                try realm.addItems(1_000, name: ItemData.name)
                let items = realm.objects(Item.self)
                var called: UInt64 = 0
                let token = items.observe { _ in called = DispatchTime.now().uptimeNanoseconds }
                defer { token.invalidate() }
                var iterator = items.changes.makeAsyncIterator()
                _ = await iterator.next(isolation: MainActor.shared)
                let writer = LatencyWriter(configuration, delay: 0.0002)
                defer { writer.stop() }
                var samples: [Double] = []
                for _ in 0..<rounds {
                    called = 0
                    writer.write()
                    guard
                        case .update(_, [], [], let modified)? = await iterator.next(
                            isolation: MainActor.shared)
                    else { fatalError("kivo-bench: stream.hop was told something else") }
                    expect(modified == [0], "stream.hop was told of another item")
                    // Sometimes the change is in the stream before any listener is called.
                    if called == 0 { continue }
                    samples.append(Double(DispatchTime.now().uptimeNanoseconds - called))
                }
                return samples
            })
    }
}
