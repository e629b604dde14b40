import Foundation
import Kivo

/// The objects, observers and records of one case while it runs.
final class KeyValueCaseWorld {
    let test: KeyValueCase
    let scenario: KeyValueCaseScenario
    let cast: KeyValueCaseCast
    /// The objects of the case by name, as the observers hold them.
    var objects: [String: any KeyValueCaseModel] = [:]
    /// The rows of the names, wherever they are needed.
    let rows = KeyValueCaseRows()
    /// Objects that were there once.
    private var known: [(name: String, object: Weak)] = []
    /// Other accessors of the objects' rows.
    private var twins: [String: any KeyValueCaseModel] = [:]
    /// Collections to compare with later.
    var remembered: [String: AnyObject] = [:]
    var observers: [String: KeyValueCaseObserver] = [:]
    var tokens: [String: KeyValueObservation] = [:]
    let contexts = KeyValueCaseContexts()
    /// The observed objects, with the path at which each was observed.
    private(set) var targets: [(path: String, object: Weak)] = []
    /// Accessors that were observed and that nothing of the case holds, by the path that led to them.
    private var held: [String: any KeyValueCaseModel] = [:]

    var records: [KeyValueCaseRecord] = []
    /// The complaints, besides notifications.
    var complaints: [String] = []
    /// Steps whose notifications do not count.
    var ignoredSteps: Set<Int> = []
    var step = 0
    var isRecording = true

    private(set) var openedRealm: Realm?
    /// Steps that wait for the transaction of the other realm.
    private var pending: [KeyValueCaseStep] = []
    /// Whether the case says itself when the other realm's transaction is committed.
    private let spellsOutRefresh: Bool

    final class Weak {
        weak var object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }

    init(_ test: KeyValueCase, _ scenario: KeyValueCaseScenario, _ cast: KeyValueCaseCast) throws {
        self.test = test
        self.scenario = scenario
        self.cast = cast
        spellsOutRefresh = test.allSteps.contains { $0.action == "refreshObserver" }
        for name in cast.classes.keys.sorted(by: Self.isBefore) {
            let object = cast.classes[name]!.init()
            if let row = object as? any KeyValueCaseRow { row.pk = rows.add(name, type(of: row)) }
            give(name, to: object)
        }
        try cast.stage.prepare(self)
        if let copy = objects["copy"] as? any KeyValueCaseRow { rows.set("copy", type(of: copy), copy.pk) }
        if scenario.isManaged { try addObjects() }
        for step in test.allSteps where step.action == "identity" { remember(step) }
    }

    /// The order in which objects are made: neighbours of others before and after them.
    private static func isBefore(_ a: String, _ b: String) -> Bool {
        func rank(_ name: String) -> Int { name.hasPrefix("before") ? 0 : name.hasPrefix("after") ? 2 : 1 }
        return (rank(a), a) < (rank(b), b)
    }

    // MARK: Realm

    func realm() throws -> Realm {
        if let openedRealm { return openedRealm }
        let realm = try Realm(configuration: configuration)
        realm.autorefresh = scenario != .otherRealm
        openedRealm = realm
        return realm
    }

    private lazy var configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: cast.stage.realmTypes)

    /// Adds the objects in a write that stays open, unless the case is about writes of its own.
    private func addObjects() throws {
        let realm = try realm()
        realm.beginWrite()
        for name in objects.keys.sorted(by: Self.isBefore) where name != "copy" {
            if let object = objects[name] as? any KeyValueCaseRow, object.realm == nil { realm.add(object) }
        }
        let own = test.steps.first { ["begin", "commit", "cancel", "invalidateRealm"].contains($0.action) }
        let steers = own?.action == "begin" || own?.action == "invalidateRealm"
        if scenario == .otherRealm || steers { try realm.commitWrite() }
    }

    /// Carries out what changes managed objects: in the open write, or in one of its own.
    func writing(_ change: () throws -> Void) throws {
        let realm = try realm()
        if realm.isInWriteTransaction { return try change() }
        realm.beginWrite()
        try change()
        try realm.commitWrite()
    }

    /// Ends what is still open; nothing counts any more.
    func close() {
        isRecording = false
        tokens = [:]
        if let openedRealm, openedRealm.isInWriteTransaction { openedRealm.cancelWrite() }
    }

    // MARK: Names

    func give(_ name: String, to object: any KeyValueCaseModel) {
        objects[name] = object
        known.append((name, Weak(object)))
    }

    func release(_ name: String) {
        objects[name] = nil
        twins[name] = nil
        rows.remove(name)
        for path in held.keys where KeyValueCaseCast.root(path) == name { held[path] = nil }
    }

    /// Whether no object that had a name is left.
    func isGone(_ name: String) -> Bool { !known.contains { $0.name == name && $0.object.object != nil } }

    /// Returns the side of the observers.
    func side() -> KeyValueCaseSide {
        KeyValueCaseSide(
            kind: cast.stage.kind, realm: openedRealm, aliases: cast.aliases,
            resolve: { [unowned self] name in
                name.hasSuffix("'") ? twin(String(name.dropLast())) : objects[name]
            },
            adopt: { [unowned self] name, object in adopt(name, object) })
    }

    /// Returns the side on which changes are made in this process and realm: at other accessors, if the case is about these.
    private func changingSide() -> KeyValueCaseSide {
        guard scenario == .otherAccessor else { return side() }
        return KeyValueCaseSide(
            kind: cast.stage.kind, realm: openedRealm, aliases: cast.aliases,
            resolve: { [unowned self] name in twin(name.hasSuffix("'") ? String(name.dropLast()) : name) },
            adopt: { [unowned self] name, object in adopt(name, object) })
    }

    private func adopt(_ name: String, _ object: any KeyValueCaseModel) {
        if let row = object as? any KeyValueCaseRow, row.pk == 0 { row.pk = rows.add(name, type(of: row)) }
        give(name, to: object)
    }

    /// Another accessor of a name's row; the same one of what is in no realm.
    private func twin(_ name: String) -> (any KeyValueCaseModel)? {
        if let known = twins[name] as? ObjectBase, !known.isInvalidated { return twins[name] }
        guard let object = objects[name] as? any KeyValueCaseRow, !object.isInvalidated,
            let realm = object.realm
        else { return objects[name] }
        twins[name] = type(of: object).find(object.pk, in: realm)
        if twins[name] === object { complaints.append("there is no other accessor of '\(name)'") }
        return twins[name] ?? object
    }

    private func remember(_ step: KeyValueCaseStep) {
        for (name, other) in [("b", "a"), ("a", "b")] {
            guard let name = step.string(name), name.hasSuffix("Before"), let path = step.string(other) else {
                continue
            }
            if let value = try? side().value(path) { remembered[name] = value as AnyObject }
        }
    }

    /// All names of an object.
    func names(of object: any KeyValueCaseModel) -> [String] {
        objects.filter { _, other in
            if other === object { return true }
            guard let object = object as? ObjectBase, let other = other as? ObjectBase else { return false }
            return !object.isInvalidated && !other.isInvalidated && object.isSameObject(as: other)
        }
        .keys.sorted()
    }

    // MARK: Changes

    /// Carries out a step that changes something, where the scenario has it.
    func change(_ step: KeyValueCaseStep) throws {
        if scenario == .otherRealm {
            if spellsOutRefresh { return pending.append(step) }
            return try changeElsewhere([step])
        }
        let side = changingSide()
        if scenario.isManaged || objects.values.contains(where: { ($0 as? ObjectBase)?.realm != nil }) {
            return try writing { try KeyValueCaseMutation(step, test, side).perform() }
        }
        try KeyValueCaseMutation(step, test, side).perform()
    }

    /// Carries out a step for which a write is needed, on the observers' side, and without one.
    func performOutsideOfAWrite(_ step: KeyValueCaseStep) throws {
        if let openedRealm, openedRealm.isInWriteTransaction { try openedRealm.commitWrite() }
        if step.action == "addToRealm" {
            guard let object = try side().model(step.object ?? "") as? Object else {
                throw KeyValueCaseError("adding an embedded object")
            }
            return try realm().add(object)
        }
        guard KeyValueCaseMutation.actions.contains(step.action) else { return try perform(step) }
        try KeyValueCaseMutation(step, test, changingSide()).perform()
    }

    /// Commits what waits in the other realm, and has this one see it.
    func refresh() throws {
        let steps = pending
        pending = []
        try changeElsewhere(steps)
    }

    func refreshIfPending() throws {
        if !pending.isEmpty { try refresh() }
    }

    private func changeElsewhere(_ steps: [KeyValueCaseStep]) throws {
        if !steps.isEmpty {
            let other = KeyValueCaseOtherRealm(configuration, rows, cast.aliases, test)
            try other.commit(steps)
        }
        let realm = try realm()
        realm.refresh()
        for (name, row) in rows.all where objects[name] == nil {
            if let object = row.model.find(row.pk, in: realm) { give(name, to: object) }
        }
    }

    // MARK: Observing

    func context(_ label: JSONValue?) -> UnsafeMutableRawPointer? { contexts.pointer(label) }

    /// Returns the object to which an observation's path leads.
    func target(_ path: String) throws -> any KeyValueCaseObservable {
        if let target = held[path] { return target }
        guard let target = try side().value(path) as? any KeyValueCaseObservable else {
            throw KeyValueCaseError("observing '\(path)'")
        }
        if let object = target as? any KeyValueCaseModel, objects[path] !== object { held[path] = object }
        note(target, path)
        return target
    }

    func note(_ target: AnyObject, _ path: String) {
        if !targets.contains(where: { $0.path == path && $0.object.object === target }) {
            targets.append((path, Weak(target)))
        }
    }

    func observer(_ step: KeyValueCaseStep) -> KeyValueCaseObserver {
        let name = step.string("observer") ?? "?"
        if let known = observers[name] { return known }
        let observer = KeyValueCaseObserver(name, self)
        observers[name] = observer
        return observer
    }
}
