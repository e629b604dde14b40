import Dispatch
import Foundation
import Kivo

extension Rows {
    /// The rows of `kivo studio`; none if `kivo` is not beside this program.
    static var studio: [Row] {
        #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
        if StudioClient.program == nil { return [] }
        return [
            Row("studio.open/10M", .studio, .ms, .atMost(50), measure: openStudioTable),
            Row("studio.page/10M", .studio, .ms, .atMost(5), measure: readStudioPages),
            Row("studio.commit", .studio, .ms, .atMost(5), usesDisk: true, measure: hearOfCommitInStudio),
            Row("studio.export/1M", .studio, .ms, .atMost(5_000), measure: exportFromStudio),
        ] + following
        #else
        return []
        #endif
    }

    #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
    private static func withStudio<Result>(
        _ fixtures: Fixtures, _ items: Int, _ body: (StudioClient, Realm.Configuration) throws -> Result
    ) throws -> Result {
        let configuration = try fixtures.fileConfiguration()
        try fill(configuration, fixtures.size(items))
        try waitUntilClosed(configuration)
        let client = try StudioClient(configuration.fileURL!.path)
        defer { client.end() }
        return try body(client, configuration)
    }

    /// Measures reading the list of classes, opening a table and reading its first page, at the client.
    private static func openStudioTable(_ fixtures: Fixtures) throws -> Samples {
        try withStudio(fixtures, 10_000_000) { client, _ in
            Sampling.repetitions(11) {
                nanoseconds {
                    let file = client.get("/api/file")
                    expect(file.count > 100, "studio.open read no classes")
                    let (stream, view) = client.live("Item")
                    let page = client.get("/api/rows?view=\(view)&offset=0&count=100")
                    withExtendedLifetime(stream) { expect(page.count > 1_000, "studio.open read no rows") }
                }
            }
        }
    }

    /// Measures reading 100 rows anywhere in a table, at the client.
    private static func readStudioPages(_ fixtures: Fixtures) throws -> Samples {
        try withStudio(fixtures, 10_000_000) { client, _ in
            let (stream, view) = client.live("Item")
            var random = SplitMix64(state: 28)
            let samples = Sampling.steps(atMost: 500) {
                let offset = Int(random.next() % UInt64(fixtures.size(10_000_000) - 100))
                return nanoseconds {
                    let page = client.get("/api/rows?view=\(view)&offset=\(offset)&count=100")
                    expect(page.count > 1_000, "studio.page read no rows")
                }
            }
            return withExtendedLifetime(stream) { samples }
        }
    }

    /// Measures from the beginning of a commit in another process to its event at the client, without the flush of the disk.
    private static func hearOfCommitInStudio(_ fixtures: Fixtures) throws -> Samples {
        let flush = try Floor.fsync.row.measure(fixtures).median
        return try withStudio(fixtures, 10_000) { client, configuration in
            let (stream, view) = client.live("Item")
            _ = client.get("/api/rows?view=\(view)&offset=0&count=100")
            let realm = try Realm(configuration: configuration)
            let item = realm.objects(Item.self)[0]
            return try Sampling.steps(atMost: 100) {
                // Beyond the pace of a screen, events would be held back.
                Thread.sleep(forTimeInterval: 0.03)
                return try nanoseconds {
                    try realm.write { item.value += 1 }
                    while case let event = stream.readEvent(), !event.contains("event: change") {}
                } - flush
            }
        }
    }

    /// The work and the memory of the server while another process commits without a pause. At 10,000 commits a second, 100 µs each
    /// are one core.
    private static var following: [Row] {
        #if os(Linux)
        [
            Row("studio.follow", .studio, .us, .atMost(100), usesDisk: true) { fixtures in
                try followInStudio(fixtures) { client, count, before in
                    (client.processorTime - before) / Double(count) * 1e9
                }
            },
            Row("studio.follow.memory", .studio, .bytes, .atMost(50_000_000), usesDisk: true) { fixtures in
                try followInStudio(fixtures) { client, _, _ in client.resident }
            },
        ]
        #else
        []
        #endif
    }

    #if os(Linux)
    private static func followInStudio(
        _ fixtures: Fixtures,
        _ figure: (_ client: StudioClient, _ commits: Int, _ timeBefore: Double) -> Double
    ) throws -> Samples {
        try withStudio(fixtures, 100_000) { client, configuration in
            let (stream, view) = client.live("Item")
            _ = client.get("/api/rows?view=\(view)&offset=0&count=100")
            let reader = Thread { while stream.readEventUnlessEnded() {} }
            reader.start()
            let realm = try Realm(configuration: configuration)
            let item = realm.objects(Item.self)[0]
            let count = fixtures.size(20_000)
            return try Sampling.repetitions(5) {
                let before = client.processorTime
                // Asynchronous writes would share commits.
                for _ in 0..<count { try realm.write { item.value += 1 } }
                // The server may still be reading the last commits.
                Thread.sleep(forTimeInterval: 0.3)
                return figure(client, count, before)
            }
        }
    }
    #endif

    /// Measures the export of a million objects as lines of JSON.
    private static func exportFromStudio(_ fixtures: Fixtures) throws -> Samples {
        try withStudio(fixtures, 1_000_000) { client, _ in
            let (stream, view) = client.live("Item")
            let samples = Sampling.repetitions(5) {
                nanoseconds {
                    let body = client.export(view: view, format: "jsonl")
                    expect(body.count > 50 * fixtures.size(1_000_000), "studio.export wrote too little")
                }
            }
            return withExtendedLifetime(stream) { samples }
        }
    }
    #endif
}
