import Foundation
import Kivo

/// An observer that ``stress(_:seed:commits:attempts:values:_:)`` compares with the truth.
public struct StressedObserver {
    /// Returns a description of the difference; nil if there is none.
    let difference: () -> String?

    /// Creates an observer from what it shows, and from what it should show.
    ///
    /// - Parameters:
    ///   - shown: A closure that returns what the observer has made of the changes that it received.
    ///   - truth: A closure that returns the same, read from the realm.
    public init<Shown: Equatable>(_ shown: @escaping () -> Shown, truth: @escaping () -> Shown) {
        difference = {
            let (shown, truth) = (shown(), truth())
            return shown == truth ? nil : "shown: \(shown)\n truth: \(truth)"
        }
    }
}

/// Plays random commits to an observer, and compares what it shows with the truth after each turn.
///
/// A turn delivers one or several commits, which insert, modify and delete objects, edit lists and move their elements, restore values,
/// and delete all objects of a class. If the observer shows something else than the truth, the commits are shrunk, and the smallest ones are thrown
/// with which it still does:
///
///     func testDogTable() throws {
///         try stress([Dog.self, Person.self]) { realm in
///             let dogs = realm.objects(Dog.self).sorted(byKeyPath: "name")
///             let table = DogTable(dogs)
///             return StressedObserver { table.names } truth: { dogs.map(\.name) }
///         }
///     }
///
/// Commits depend on the seed, the classes and `values` only, unless a property has another default each time. See
/// ``replay(_:at:of:_:afterEachTurn:)`` for what observers may do. Embedded objects are made and edited with the objects that own them.
/// Values of enums are their cases; a property of a mapped type keeps its default, unless `values` has some for it, and so does a link to a
/// class that is not among `types`. A seed that the test does not choose is written to standard error, because an observer may end the
/// program.
///
/// - Parameters:
///   - types: The classes of which objects are written, with the embedded ones. All classes that the observer uses have to be among them.
///   - seed: The seed; nil for another one in each call, which the error names.
///   - commits: The number of commits.
///   - attempts: The number of attempts to shrink the commits with which the observer fails.
///   - values: A closure that returns a value for a property, where random ones do not do; nil for a random one.
///   - observe: A closure that begins to observe a realm, which is empty or not.
/// - Throws: ``StressFailure`` if the observer shows something else than the truth; errors of `observe`.
public func stress(
    _ types: [ObjectBase.Type], seed: UInt64? = nil, commits: Int = 200, attempts: Int = 500,
    values: ((_ className: String, _ property: Property) -> Any?)? = nil,
    _ observe: (Realm) throws -> StressedObserver
) throws {
    let seed = seed ?? announcedSeed()
    let capsule = try Capsule(random: seed, types, commits: commits, values)
    guard let difference = try capsule.difference(of: types, observe) else { return }
    // An observer that cannot begin with a smaller capsule does not fail with it.
    let small = try shrink(capsule, of: types, attempts: attempts) {
        (try? $0.difference(of: types, observe)) ?? nil != nil
    }
    var beginning = ChangeSet()
    if case .objects(let objects) = try CapsuleDraft(small, at: nil, of: types).base { beginning = objects }
    throw StressFailure(
        seed: seed, capsule: small, beginning: beginning, changes: try small.changes(of: types),
        difference: try small.difference(of: types, observe) ?? difference)
}

/// Returns a random seed, and writes it to standard error: an observer that is wrong may end the program.
private func announcedSeed() -> UInt64 {
    let seed = UInt64.random(in: 0 ... .max)
    FileHandle.standardError.write(Data("stress: seed \(seed)\n".utf8))
    return seed
}

/// The error of an observer that shows something else than the truth.
public struct StressFailure: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The seed of the commits.
    public let seed: UInt64
    /// The smallest commits that were found with which the observer fails.
    public let capsule: Capsule
    /// The objects with which the observer begins, as insertions.
    public let beginning: ChangeSet
    /// The changes of these commits.
    public let changes: [ChangeSet]
    /// A description of what the observer shows with them, and of the truth.
    public let difference: String

    /// The seed, the commits and the difference.
    public var description: String {
        let parts =
            (beginning.isEmpty ? [] : [("before", beginning)])
            + changes.enumerated().map { ("commit \($0 + 1)", $1) }
        let commits = parts.map { name, changes in
            "\(name):\n" + changes.all.map { "    \($0.summary)\n" }.joined()
        }
        return """
            An observer shows something else than the truth (seed \(seed)).
            \(commits.joined())\(difference)
            """
    }
    /// The seed, the commits and the difference.
    public var errorDescription: String? { description }
}

/// Ends the replay at the first difference.
private struct Different: Error { let text: String }

extension Capsule {
    /// Makes random commits.
    fileprivate init(
        random seed: UInt64, _ types: [ObjectBase.Type], commits: Int, _ values: RandomCommits.Values?
    ) throws {
        let log = CapsuleLog(recordingOnto: CapsuleContents())
        let realm = try log.realm(of: types)
        var writer = RandomCommits(realm, types, SeededNumbers(seed), values)
        guard writer.hasClasses else { throw CapsuleError("There is no class to write objects of.") }
        var random = SeededNumbers(~seed)
        // Some observers begin with objects.
        if random.chance(50) {
            for _ in 0..<10 { try writer.commit() }
            log.setBase(try realm.encodedCheckpoint())
        }
        var marks = [CapsuleContents.Mark(place: 1, version: log.head())]
        for _ in 0..<commits {
            try writer.commit()
            if random.chance(60) { marks.append(CapsuleContents.Mark(place: 1, version: log.head())) }
        }
        var contents = log.contents
        (contents.marks, contents.places) = (marks, [1: "a test"])
        self.init(contents)
    }

    /// Returns the first difference between what an observer shows and the truth; nil if there is none.
    fileprivate func difference(
        of types: [ObjectBase.Type], _ observe: (Realm) throws -> StressedObserver
    ) throws -> String? {
        do {
            try replay(self, of: types, observe) { _, observer in
                if let text = observer.difference() { throw Different(text: text) }
            }
            return nil
        } catch let different as Different {
            return different.text
        }
    }
}

extension ChangeSet.Change {
    /// The change in one line.
    fileprivate var summary: String {
        let edits = properties.map { property in
            switch (property.old, property.new) {
            case (let old?, let new?): "\(property.name): \(old.summary) -> \(new.summary)"
            case (nil, let new?): "\(property.name): \(new.summary)"
            case (_, nil): kind == .modified ? "\(property.name) edited" : ""
            }
        }
        return "\(kind.rawValue) \(object.summary) \(kind == .deleted ? "" : edits.joined(separator: ", "))"
    }
}

extension ChangeSet.ObjectID {
    fileprivate var summary: String { "\(className) \(primaryKey?.summary ?? "\(key)")" }
}

extension ChangeSet.Value {
    /// The value as a program would write it, or in words.
    fileprivate var summary: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .object(let object): object.summary
        case .list(let values): "[\(values.map(\.summary).joined(separator: ", "))]"
        default: "\(self)"
        }
    }
}
