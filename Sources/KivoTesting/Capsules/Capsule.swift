import Foundation
import Kivo
import KivoEngine
import KivoLog

/// A recording of what happened in a realm: the data with which it began, the commits after that, and when observers were notified.
///
/// A program records capsules if its `Realm.Configuration.recorder` says so. A test plays one, with the observers that failed, with
/// ``replay(_:at:of:_:afterEachTurn:)``, and ``shrink(_:at:of:attempts:while:)`` makes it smaller:
///
///     let capsule = try Capsule(contentsOf: url)
///     try replay(capsule) { realm in
///         DogTable(realm.objects(Dog.self))
///     } afterEachTurn: { realm, table in
///         XCTAssertEqual(table.names, realm.objects(Dog.self).map(\.name))
///     }
///
/// A capsule contains all data of the realm. The classes of the test have to be those of the program that recorded it.
public struct Capsule: Sendable {
    /// A realm instance of the recorded program that had observers.
    public struct Place: Sendable, Hashable, CustomStringConvertible {
        /// The number of the instance, in the order in which they began to observe.
        public let number: Int
        /// The home of the instance, for example "the main thread".
        public let home: String
        /// The number of turns in which it notified its observers.
        public let turnCount: Int
        /// A textual description of the place.
        public var description: String { "\(number): \(home), \(turnCount) turns" }
    }

    let contents: CapsuleContents

    init(_ contents: CapsuleContents) { self.contents = contents }

    /// Reads a capsule.
    ///
    /// What was cut off at the end of the file, because the program ended while it was written, is ignored.
    ///
    /// - Parameter url: A file; or a folder, of which the newest capsule is read.
    /// - Throws: An error that says why the file is not a capsule.
    /// - Complexity: O(bytes).
    public init(contentsOf url: URL) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue
        else {
            contents = try CapsuleContents(reading: Array(Data(contentsOf: url)))
            return
        }
        let key = URLResourceKey.contentModificationDateKey
        let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: [key])
            .filter { $0.pathExtension == CapsuleContents.fileExtension }
            .map { ($0, try $0.resourceValues(forKeys: [key]).contentModificationDate ?? .distantPast) }
            .sorted { ($0.1, $0.0.path) > ($1.1, $1.0.path) }
        // The base of the newest one may not have been written to its end.
        for (file, _) in files {
            if let contents = try? CapsuleContents(reading: Array(Data(contentsOf: file))) {
                self.contents = contents
                return
            }
        }
        throw CapsuleError("There is no capsule in '\(url.path)'.")
    }

    /// Writes the capsule into a file, which is replaced if it exists.
    ///
    /// - Throws: The error of the file system.
    public func write(to url: URL) throws { try Data(contents.bytes).write(to: url, options: .atomic) }

    /// The number of commits after the base.
    public var commitCount: Int { contents.commits.count }

    /// The instances that had observers, those with the most turns first.
    public var places: [Place] {
        var counts: [Int: Int] = contents.places.mapValues { _ in 0 }
        for mark in contents.marks where !mark.isOwnCommit { counts[mark.place, default: 0] += 1 }
        return counts.map {
            Place(number: $0.key, home: contents.places[$0.key] ?? "an unknown place", turnCount: $0.value)
        }.sorted { ($0.turnCount, $1.number) > ($1.turnCount, $0.number) }
    }

    /// Returns what each commit changed, in order.
    ///
    /// - Parameter types: The classes of the realm; nil for all that the program uses.
    /// - Throws: `Realm.Error` if the classes do not match those of the capsule.
    /// - Complexity: O(bytes).
    public func changes(of types: [ObjectBase.Type]? = nil) throws -> [ChangeSet] {
        let log = CapsuleLog(replaying: contents)
        return try log.changes(upTo: contents.end, in: log.realm(of: types))
    }

    /// Returns the instance to play: a chosen one, or that with the most turns; nil if there is none.
    ///
    /// - Throws: ``CapsuleError`` if the capsule does not have the chosen one.
    func played(_ place: Place?) throws -> Place? {
        guard let place else { return places.first }
        if let known = places.first(where: { $0.number == place.number }) { return known }
        throw CapsuleError("The capsule has no instance with the number \(place.number).")
    }

    /// The version with which the observers of an instance began, and the versions at which it notified them after that, ascending:
    /// one twice if observers began in its first turn. The last one is that of the last commit. Without an instance, these are all versions.
    func schedule(at place: Place?) -> (start: UInt64, turns: [UInt64]) {
        let (base, end) = (contents.baseVersion, contents.end)
        guard let place else { return (base, (base..<end).map { $0 + 1 }) }
        let versions = contents.versions(of: place, own: false).filter { $0 <= end }.map { max(base, $0) }
        let turns = Array(versions.dropFirst())
        let start = versions.first ?? base
        return (start, (turns.last ?? start) == end ? turns : turns + [end])
    }
}

extension CapsuleContents {
    /// Returns the versions of the turns of an instance, or of its own commits, ascending.
    func versions(of place: Capsule.Place?, own: Bool) -> [UInt64] {
        marks.filter { $0.place == place?.number && $0.isOwnCommit == own }.map(\.version).sorted()
    }
}

/// The error of a capsule that cannot be used as asked.
public struct CapsuleError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// A sentence that describes the error.
    public let description: String
    /// The sentence that describes the error.
    public var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}
