import Kivo

/// The commits of a capsule as change sets, from which another capsule is made.
struct CapsuleDraft {
    /// A commit, and whether observers are notified after it.
    struct Step {
        /// The changes of the recorded commits of which it consists.
        var changes: [ChangeSet]
        var hasTurn: Bool
        /// Whether the instance made the commit that is played.
        var isOwn: Bool
    }

    /// The base: bytes that stay as they are, or the objects to make one of.
    enum Base {
        case bytes
        case objects(ChangeSet)
    }

    /// The contents with which the recorded observers began, as bytes.
    private let original: CapsuleContents
    private let types: [ObjectBase.Type]?
    /// The number of the instance that is played, and where it belongs.
    private let place: (number: Int, home: String)
    var base: Base
    var steps: [Step]

    /// The number of bytes up to which a base is made again.
    private static let largestBase = 1 << 22

    /// Reads the commits of a capsule after the version with which the observers of an instance began.
    init(_ capsule: Capsule, at place: Capsule.Place?, of types: [ObjectBase.Type]?) throws {
        self.types = types
        let played = try capsule.played(place)
        self.place = (played?.number ?? 1, played?.home ?? "a test")
        let (start, turns) = capsule.schedule(at: played)
        let log = CapsuleLog(replaying: capsule.contents)
        let realm = try log.realm(of: types)
        log.deliver(upTo: start)
        realm.refresh()
        var original = CapsuleContents(
            log: capsule.contents.log, schemaVersion: capsule.contents.schemaVersion, baseVersion: start)
        original.base = try realm.encodedCheckpoint()
        self.original = original
        let isTurn = Set(turns)
        let own = Set(capsule.contents.versions(of: played, own: true))
        steps = try log.changes(upTo: capsule.contents.end, in: realm).enumerated().map { index, changes in
            let version = start + UInt64(index) + 1
            return Step(
                changes: [changes], hasTurn: isTurn.contains(version), isOwn: own.contains(version))
        }
        base = .bytes
        guard original.base.count <= CapsuleDraft.largestBase else { return }
        // The contents are what deleting everything changes, inverted.
        let emptied = try CapsuleLog(recordingOnto: original).realm(of: types)
        let before = emptied.version
        try emptied.write { emptied.deleteAll() }
        base = .objects(try emptied.changes(since: before).inverse)
    }

    /// Makes a capsule of the commits. What no longer fits, because earlier commits were left out, is left out as well.
    func capsule() throws -> Capsule {
        var beginning = original
        if case .objects = base {
            beginning = CapsuleContents(log: original.log, schemaVersion: original.schemaVersion)
        }
        let log = CapsuleLog(recordingOnto: beginning)
        let realm = try log.realm(of: types)
        if case .objects(let objects) = base {
            try realm.repeatChanges([objects])
            log.setBase(try realm.encodedCheckpoint())
        }
        var marks = [CapsuleContents.Mark(place: place.number, version: log.head())]
        for step in steps {
            let before = log.head()
            try realm.repeatChanges(step.changes)
            let version = log.head()
            if step.isOwn, version > before {
                marks.append(CapsuleContents.Mark(place: place.number, version: version, isOwnCommit: true))
            }
            if step.hasTurn { marks.append(CapsuleContents.Mark(place: place.number, version: version)) }
        }
        var contents = log.contents
        (contents.marks, contents.places) = (marks, [place.number: place.home])
        return Capsule(contents)
    }
}
