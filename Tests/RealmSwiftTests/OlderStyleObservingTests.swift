import Foundation
import KivoTesting
import RealmSwift
import XCTest

/// Changes of properties of the older style are notified like those of others.
final class OlderStyleObservingTests: OlderStyleTestCase {
    private var told: [String] = []
}

@available(*, deprecated, message: "They use deprecated forms, and no others.")
extension OlderStyleObservingTests {
    private func added() throws -> (realm: Realm, keeper: Keeper) {
        let (realm, keeper) = (try openRealm(), Keeper(value: ["name": "Ann", "dogs": [["name": "Rex"]]]))
        try realm.write { realm.add(keeper) }
        return (realm, keeper)
    }

    func testObjectsTellOfTheirProperties() throws {
        let (realm, keeper) = try added()
        let tokens = [
            keeper.observe { [unowned self] (change: ObjectChange<Keeper>) in
                guard case .change(_, let properties) = change else { return }
                let texts = properties.map { "\($0.name) \($0.oldValue ?? "-") \($0.newValue ?? "-")" }
                told.append(texts.joined(separator: ", "))
            },
            keeper.observe(keyPaths: [\Keeper.dogs]) { [unowned self] _ in told.append("dogs") },
            keeper.observe(keyPaths: [\Keeper.dogs[0].name]) { [unowned self] _ in told.append("dogs.name") },
            keeper.observe(keyPaths: [\Keeper.age, \Keeper.clubs.first?.code]) { [unowned self] _ in
                told.append("age or clubs.code")
            },
        ]
        realm.refresh()
        try writeElsewhere { $0.objects(Keeper.self)[0].age.value = 20 }
        realm.refresh()
        XCTAssertEqual(told.sorted(), ["age 18 20", "age or clubs.code"])
        told = []
        try realm.write { keeper.dogs[0].name = "Max" }
        realm.refresh()
        XCTAssertEqual(told, ["dogs.name"])
        told = []
        try realm.write { keeper.dogs.append(Hound()) }
        realm.refresh()
        XCTAssertEqual(told.sorted(), ["dogs", "dogs - -", "dogs.name"])
        told = []
        let club = try realm.write { realm.create(Club.self, value: ["code": 1, "members": [keeper]]) }
        realm.refresh()
        XCTAssertEqual(told, ["age or clubs.code"])
        told = []
        try realm.write { club.founded.value = 3 }
        realm.refresh()
        XCTAssertEqual(told, [])
        for token in tokens { token.invalidate() }
    }

    func testCollectionsTellOfTheirElements() throws {
        let (realm, keeper) = try added()
        let token = keeper.dogs.observe { [unowned self] change in
            switch change {
            case .initial(let dogs): told.append("\(dogs.count)")
            case .update(_, let deletions, let insertions, let modifications):
                told.append("-\(deletions) +\(insertions) ~\(modifications)")
            case .error(let error): told.append("\(error)")
            }
        }
        realm.refresh()
        try realm.write {
            keeper.dogs[0].temper.value = nil
            keeper.dogs.append(Hound())
        }
        realm.refresh()
        XCTAssertEqual(told, ["1", "-[] +[1] ~[0]"])
        token.invalidate()
    }

    /// Unmanaged and managed objects notify their observers of the same changes.
    func testKeyValueObserving() throws {
        let (realm, managed) = try added()
        for keeper in [Keeper(value: ["dogs": [["name": "Rex"]]]), managed] {
            told = []
            let recorder = KeyValueRecorder(observing: keeper, "age", options: [.old, .new])
            let observations = [
                keeper.observe(\.age.value, options: [.old, .new]) { [unowned self] _, change in
                    told.append("\(change.oldValue! ?? 0) \(change.newValue! ?? 0)")
                },
                keeper.observe(\.age) { [unowned self] keeper, _ in told.append("age \(keeper.age)") },
                keeper.observe(\.dogs) { [unowned self] _, change in
                    told.append(
                        "\(change.kind == .insertion ? "inserted" : "?") \(change.indexes!.map { $0 })")
                },
            ]
            let edit = {
                keeper.age.value = 3
                keeper.age.value = nil
                keeper["age"] = 5
                keeper.dogs.append(Hound())
            }
            if keeper.realm == nil { edit() } else { try realm.write(edit) }
            XCTAssertEqual(
                told,
                [
                    "18 3", "age Optional(3)", "3 0", "age nil", "0 5", "age Optional(5)", "inserted [1]",
                ])
            XCTAssertEqual(recorder.changes.count, 3)
            XCTAssertEqual(recorder.changes.map { $0.newValue as? Int }, [3, nil, 5])
            for observation in observations { observation.invalidate() }
        }
    }

    func testProjections() throws {
        let (realm, keeper) = try added()
        let view = try XCTUnwrap(realm.objects(KeeperView.self).first)
        XCTAssertEqual(Array(view.names), ["Rex"])
        let token = view.observe(keyPaths: [\KeeperView.names]) { [unowned self] _ in told.append("names") }
        realm.refresh()
        try realm.write { keeper.dogs[0].name = "Max" }
        realm.refresh()
        try realm.write { keeper.age.value = 1 }
        realm.refresh()
        XCTAssertEqual(told, ["names"])
        XCTAssertEqual(view.age, 1)
        token.invalidate()
    }
}

@available(*, deprecated)
final class KeeperView: Projection<Keeper> {
    @Projected(\Keeper.dogs.projectTo.name) var names: ProjectedCollection<String>
    @Projected(\Keeper.age.value) var age
}
