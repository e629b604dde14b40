import Foundation
import Kivo

/// An observer of a case: records its notifications, and performs the case's actions in its callback.
final class KeyValueCaseObserver: KeyValueObserver {
    private let name: String
    private unowned let world: KeyValueCaseWorld
    /// The remaining actions, each to be performed once, when its key path notifies.
    var actions: [(keyPath: String, step: KeyValueCaseStep)] = []

    init(_ name: String, _ world: KeyValueCaseWorld) {
        self.name = name
        self.world = world
    }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        world.record(name, object, keyPath, change, context)
        guard !actions.isEmpty else { return }
        let isPrior = change?[.notificationIsPriorKey] as? Bool ?? false
        let due = actions.filter { $0.keyPath == keyPath && Self.isDue($0.step, isPrior: isPrior) }
        actions.removeAll { $0.keyPath == keyPath && Self.isDue($0.step, isPrior: isPrior) }
        for (_, step) in due {
            do { try world.perform(step) } catch { world.complaints.append("\(error)") }
        }
    }

    private static func isDue(_ step: KeyValueCaseStep, isPrior: Bool) -> Bool {
        switch step.string("when") {
        case "firstPrior": isPrior
        case "firstAfter": !isPrior
        default: true
        }
    }
}

/// The contexts of a case: an address for each.
final class KeyValueCaseContexts {
    private var pointers: [String: UnsafeMutableRawPointer] = [:]

    deinit { for pointer in pointers.values { pointer.deallocate() } }

    func pointer(_ context: JSONValue?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let label = KeyValueCaseComparison.label(context)
        if label == "null" { return nil }
        if let known = pointers[label] { return known }
        let pointer = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        pointers[label] = pointer
        return pointer
    }

    func label(_ pointer: UnsafeMutableRawPointer?) -> String {
        guard let pointer else { return "null" }
        return pointers.first { $0.value == pointer }?.key ?? "(unknown)"
    }
}

/// Which row of which class each name of a case is. Used by one thread at a time.
final class KeyValueCaseRows: @unchecked Sendable {
    private(set) var all: [String: (model: any KeyValueCaseRow.Type, pk: Int)] = [:]
    private var last: [ObjectIdentifier: Int] = [:]

    /// Gives a name the next key of a class.
    func add(_ name: String, _ model: any KeyValueCaseRow.Type) -> Int {
        let pk = (last[ObjectIdentifier(model)] ?? 0) + 1
        last[ObjectIdentifier(model)] = pk
        all[name] = (model, pk)
        return pk
    }

    func set(_ name: String, _ model: any KeyValueCaseRow.Type, _ pk: Int) { all[name] = (model, pk) }
    func remove(_ name: String) { all[name] = nil }
}

/// Changes a case's realm through another instance of it, on another thread.
struct KeyValueCaseOtherRealm: @unchecked Sendable {
    private let configuration: Realm.Configuration
    private let rows: KeyValueCaseRows
    private let aliases: [String: String]
    private let test: KeyValueCase

    init(
        _ configuration: Realm.Configuration, _ rows: KeyValueCaseRows, _ aliases: [String: String],
        _ test: KeyValueCase
    ) {
        self.configuration = configuration
        self.rows = rows
        self.aliases = aliases
        self.test = test
    }

    /// Commits steps in one transaction.
    func commit(_ steps: [KeyValueCaseStep]) throws {
        let outcome = Outcome()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try perform(steps) } catch { outcome.error = error }
            done.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
        done.wait()
        if let error = outcome.error { throw error }
    }

    private final class Outcome: @unchecked Sendable {
        var error: (any Error)?
    }

    private func perform(_ steps: [KeyValueCaseStep]) throws {
        let realm = try Realm(configuration: configuration)
        realm.beginWrite()
        var fresh: [String: any KeyValueCaseModel] = [:]
        let side = KeyValueCaseSide(
            kind: .objects, realm: realm, aliases: aliases,
            resolve: { name in
                if let object = fresh[name] { return object }
                return rows.all[name].flatMap { $0.model.find($0.pk, in: realm) }
            },
            adopt: { name, object in
                if let row = object as? any KeyValueCaseRow, row.pk == 0 {
                    row.pk = rows.add(name, type(of: row))
                }
                fresh[name] = object
            })
        for step in steps { try KeyValueCaseMutation(step, test, side).perform() }
        try realm.commitWrite()
    }
}
