import Foundation
import Kivo
import Synchronization

/// An object of a file that is larger than the cache.
final class Parcel: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var weight: Int
    @Persisted var price: Double
    @Persisted var isSent: Bool
    @Persisted var address: String
    @Persisted var contents: String

    /// Returns the key of the parcel that is created at an index.
    static func key(_ index: Int) -> Int { 3 * index }

    static func make(_ index: Int) -> Parcel {
        let parcel = Parcel()
        parcel.key = key(index)
        parcel.weight = index
        parcel.price = Double(index) / 8
        parcel.isSent = index % 3 == 0
        parcel.address = "\(index &* 2_654_435_761 & 0xFFFFF) Long Street, Village \(index % 9_973)"
        parcel.contents =
            "Contents of parcel number \(index): \(index &* 7_919 % 977) pieces of all kinds of things"
        return parcel
    }
}

/// A measurement of the highest anonymous memory of a process that does one thing with a file of parcels.
struct LargeFileProbe: Equatable {
    /// What the process does.
    enum Part: String {
        /// Writes the file, in 40 commits.
        case write
        /// Counts by `CONTAINS`, twice.
        case scan
        /// Reads the first object in the order of strings.
        case sort
        /// Reads a property of each object.
        case iterate
        /// Looks up a quarter as many objects as there are by their keys.
        case random
        /// Changes 10,000 objects in 100 commits.
        case update
    }

    let part: Part
    let path: String
    /// The number of objects in the file.
    let count: Int
    /// The size of the cache in megabytes; negative for no limit.
    var cacheSize = 64

    /// Performs the part in a child, which calls ``run()``. Returns the highest number of bytes, and the time in nanoseconds.
    func ask() throws -> (bytes: Double, time: Double) {
        var figures: [Double] = []
        let arguments = [Options.largeFileFlag, part.rawValue, path, "\(count)", "\(cacheSize)"]
        try ChildProcess(arguments: arguments).run {
            figures = $0.split(separator: " ").compactMap { Double($0) }
        }
        guard figures.count == 2 else { throw ChildProcess.Failure(description: "memory.big got no figure") }
        return (figures[0], figures[1])
    }

    /// Performs the part. Returns the two figures.
    func run() throws -> String {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), objectTypes: [Parcel.self])
        configuration.cacheSize = cacheSize < 0 ? .max : cacheSize << 20
        let peak = PeakAnonymousMemory()
        let time = try nanoseconds { try perform(configuration) }
        return "\(peak.end()) \(time)"
    }

    private func perform(_ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        let parcels = realm.objects(Parcel.self)
        switch part {
        case .write:
            let commits = 40
            for commit in 0..<commits {
                try realm.write {
                    for index in count * commit / commits..<count * (commit + 1) / commits {
                        realm.add(Parcel.make(index))
                    }
                }
            }
        case .scan:
            for text in ["Village 77", "976 pieces"] {
                let found = parcels.filter("address CONTAINS %@ OR contents CONTAINS %@", text, text).count
                expect(found > 0, "memory.big/scan found nothing")
            }
        case .sort:
            let first = parcels.sorted(byKeyPath: "contents").first
            expect(first != nil, "memory.big/sort found nothing")
        case .iterate:
            let sum = parcels.reduce(0) { $0 &+ $1.weight &+ $1.address.utf8.count }
            expect(sum > count, "memory.big/iterate read nothing")
        case .random:
            var random = SplitMix64(state: 45)
            for _ in 0..<count / 4 {
                let index = random.below(count)
                let parcel = realm.object(ofType: Parcel.self, forPrimaryKey: Parcel.key(index))
                expect(parcel?.weight == index, "memory.big/random found another object")
            }
        case .update:
            var random = SplitMix64(state: 46)
            for _ in 0..<100 {
                try realm.write {
                    for _ in 0..<100 {
                        let key = Parcel.key(random.below(count))
                        realm.object(ofType: Parcel.self, forPrimaryKey: key)!.price = Double(random.value())
                    }
                }
            }
        }
    }
}

/// The highest number of bytes of memory of the process that are in no file, looked at every few milliseconds.
private final class PeakAnonymousMemory: Sendable {
    private let isEnded = Atomic(false)
    private let peak = Atomic(0)

    init() {
        Thread { [self] in
            while !isEnded.load(ordering: .relaxed) {
                look()
                Thread.sleep(forTimeInterval: 0.003)
            }
        }.start()
    }

    private func look() {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kilobytes = Int(line.filter(\.isNumber))
        else { return }
        peak.max(kilobytes << 10, ordering: .relaxed)
    }

    /// Ends looking and returns the number.
    func end() -> Int {
        look()
        isEnded.store(true, ordering: .relaxed)
        return peak.load(ordering: .relaxed)
    }
}
