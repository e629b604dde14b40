import Foundation
import Kivo
import TestRandomness
import XCTest

/// Random nested values of any type, compared with values that Swift keeps, across commits, cancelled writes, deleted objects
/// and reopened files. The changes that observers receive are applied to a table.
final class AnyFuzzTests: FileTestCase {
    private indirect enum Model: Equatable {
        case plain(AnyRealmValue)
        case object(Int)
        case list([Model])
        case dictionary([String: Model])
    }

    private var random = RandomSource()

    private func model(_ depth: Int, _ objects: [Int]) -> Model {
        switch random.below(depth > 0 ? 10 : 7) {
        case 7: return .list((0..<random.below(4)).map { _ in model(depth - 1, objects) })
        case 8, 9:
            let keys = ["a", "b", "c", "d"].filter { _ in random.chance(50) }
            return .dictionary(Dictionary(uniqueKeysWithValues: keys.map { ($0, model(depth - 1, objects)) }))
        case 6: return objects.randomElement(using: &random).map { .object($0) } ?? .plain(.none)
        case 5: return .plain(.string("a string that is longer than others \(random.below(9))"))
        default: return .plain(AnySamples.plain[random.below(AnySamples.plain.count)])
        }
    }

    private func value(_ model: Model, _ realm: Realm) -> AnyRealmValue {
        switch model {
        case .plain(let value): value
        case .object(let id): .object(realm.object(ofType: AnyOtherTarget.self, forPrimaryKey: id)!)
        case .list(let elements): .fromArray(elements.map { value($0, realm) })
        case .dictionary(let entries): .fromDictionary(entries.mapValues { value($0, realm) })
        }
    }

    /// The value as JSON and careless code give it.
    private func given(_ model: Model, _ realm: Realm) -> Any {
        switch model {
        case .plain(.none): return random.null()
        case .plain(.int(let value)): return random.loose(value, exact: true)
        case .plain(.bool(let value)): return random.loose(value, exact: true)
        case .plain(.double(let value)): return random.loose(value, exact: true)
        case .plain(.float(let value)):
            return random.chance(50) ? NSNumber(value: value) : Float?.some(value) as Any
        case .plain(.string(let value)): return random.loose(value)
        case .plain(.data(let value)): return random.loose(value)
        case .plain(.date(let value)): return random.loose(value)
        case .plain(let value): return AnyRealmValue.toAny(value) ?? value
        case .object(let id):
            if random.chance(30) {
                return realm.dynamicObject(ofType: "AnyOtherTarget", forPrimaryKey: id)!
            }
            return realm.object(ofType: AnyOtherTarget.self, forPrimaryKey: id)!
        case .list(let elements):
            let given: [Any] = elements.map { self.given($0, realm) }
            return random.loose(given)
        case .dictionary(let entries):
            let given: [String: Any] = entries.mapValues { self.given($0, realm) }
            return random.loose(given)
        }
    }

    /// Gives a value to a property of the note by one of the routes that take any. Returns whether a map is united with it, and not
    /// replaced.
    @discardableResult
    private func give(_ model: Model, _ key: String, of note: AnyNote, _ realm: Realm) -> Bool {
        let value = given(model, realm)
        switch random.below(4) {
        case 0:
            let policy: Realm.UpdatePolicy = random.chance(50) ? .modified : .all
            let given = random.looseObject(["id": random.loose(note.id), key: value])
            XCTAssertEqual(realm.create(AnyNote.self, value: given, update: policy), note)
            return policy == .modified
        case 1:
            let given = random.looseObject(["id": random.loose(note.id), key: value])
            realm.dynamicCreate("AnyNote", value: given, update: .modified)
            return true
        default: note.assign(value, key, &random)
        }
        return false
    }

    private func model(_ value: AnyRealmValue) -> Model {
        switch value {
        case .list(let list): .list(list.map { model($0) })
        case .dictionary(let map):
            .dictionary(Dictionary(uniqueKeysWithValues: map.map { ($0.key, model($0.value)) }))
        case .object(let object): .object((object as! AnyOtherTarget).id)
        default: .plain(value)
        }
    }

    private func without(_ id: Int, _ model: Model) -> Model {
        switch model {
        case .plain: model
        case .object(let other): other == id ? .plain(.none) : model
        case .list(let elements):
            .list(elements.filter { $0 != .object(id) }.map { without(id, $0) })
        case .dictionary(let entries): .dictionary(entries.mapValues { without(id, $0) })
        }
    }

    /// Edits a value somewhere inside, and the model alike. Returns whether there was something to edit.
    private func edit(_ value: AnyRealmValue, _ model: inout Model, _ objects: [Int], _ realm: Realm) -> Bool
    {
        switch (value, model) {
        case (.list(let list), .list(var elements)):
            XCTAssertEqual(list.count, elements.count)
            if !elements.isEmpty, random.chance(50) {
                let index = random.below(elements.count)
                if edit(list[index], &elements[index], objects, realm) {
                    model = .list(elements)
                    return true
                }
            }
            let new = self.model(2, objects)
            switch random.below(elements.isEmpty ? 1 : 5) {
            case 0:
                let index = random.below(elements.count + 1)
                list.insert(self.value(new, realm), at: index)
                elements.insert(new, at: index)
            case 1:
                let index = random.below(elements.count)
                list[index] = self.value(new, realm)
                elements[index] = new
            case 2:
                let index = random.below(elements.count)
                list.remove(at: index)
                elements.remove(at: index)
            case 3:
                let (from, to) = (random.below(elements.count), random.below(elements.count))
                list.move(from: from, to: to)
                elements.insert(elements.remove(at: from), at: to)
            default:
                let (a, b) = (random.below(elements.count), random.below(elements.count))
                list.swapAt(a, b)
                elements.swapAt(a, b)
            }
            model = .list(elements)
            return true
        case (.dictionary(let map), .dictionary(var entries)):
            let key = ["a", "b", "c", "d"][random.below(4)]
            if var entry = entries[key], random.chance(50), edit(map[key]!, &entry, objects, realm) {
                entries[key] = entry
            } else if random.chance(30) {
                map[key] = nil
                entries[key] = nil
            } else {
                let new = self.model(2, objects)
                map[key] = self.value(new, realm)
                entries[key] = new
            }
            model = .dictionary(entries)
            return true
        default: return false
        }
    }

    func testRandomEditsAreWhatAModelIs() throws {
        var (content, list, map): (Model, [Model], [String: Model]) = (.plain(.none), [], [:])
        var (objects, nextID) = ([Int](), 0)
        try withRealm { realm in try realm.write { realm.add(AnyNote()) } }
        for round in TestEffort.rounds(8, within: 0.18, atLeast: 2) {
            try withRealm { realm in
                let note = realm.objects(AnyNote.self)[0]
                XCTAssertEqual(model(note.content), content, "round \(round)")
                XCTAssertEqual(note.list.map { model($0) }, list, "round \(round)")
                var shown: [Model] = note.list.map { model($0) }
                let token = note.list.observe { change in
                    change.apply(to: &shown) { self.model($0) }
                }
                realm.refresh()
                for step in 0..<40 {
                    let before = (content, list, map, objects)
                    realm.beginWrite()
                    for _ in 0..<(1 + random.below(5)) {
                        switch random.below(14) {
                        case 10:
                            content = model(3, objects)
                            give(content, "content", of: note, realm)
                        case 11:
                            list = (0..<random.below(5)).map { _ in model(2, objects) }
                            give(.list(list), "list", of: note, realm)
                        case 12:
                            let new = model(2, objects)
                            let proxy = note.mutableArrayValue(forKey: "list")
                            if list.isEmpty || random.chance(50) {
                                proxy.insert(given(new, realm), at: list.count)
                                list.append(new)
                            } else {
                                let index = random.below(list.count)
                                proxy.replaceObject(at: index, with: given(new, realm))
                                list[index] = new
                            }
                        case 13 where random.chance(50):
                            let key = ["a", "b", "c", "d"][random.below(4)]
                            let new = model(2, objects)
                            note.map.setValue(given(new, realm), forKey: key)
                            map[key] = new
                        case 13:
                            let new = model(2, objects)
                            let given = ["a": new, "d": .plain(.none)]
                            let isUnited = give(.dictionary(given), "map", of: note, realm)
                            map = isUnited ? map.merging(given) { $1 } : given
                        case 0:
                            objects.append(nextID)
                            realm.add(AnyOtherTarget(value: ["id": nextID]))
                            nextID += 1
                        case 1:
                            guard let id = objects.randomElement(using: &random) else { break }
                            realm.delete(realm.object(ofType: AnyOtherTarget.self, forPrimaryKey: id)!)
                            objects.removeAll { $0 == id }
                            content = without(id, content)
                            if case .list(let elements) = without(id, .list(list)) { list = elements }
                            map = map.mapValues { without(id, $0) }
                        case 2:
                            content = model(3, objects)
                            note.content = value(content, realm)
                        case 3, 4: _ = edit(note.content, &content, objects, realm)
                        case 5, 6, 7:
                            var whole = Model.list(list)
                            _ = edit(.list(note.list), &whole, objects, realm)
                            if case .list(let elements) = whole { list = elements }
                        default:
                            var whole = Model.dictionary(map)
                            _ = edit(.dictionary(note.map), &whole, objects, realm)
                            if case .dictionary(let entries) = whole { map = entries }
                        }
                    }
                    if random.chance(20) {
                        realm.cancelWrite()
                        (content, list, map, objects) = before
                    } else {
                        try realm.commitWrite()
                    }
                    XCTAssertEqual(model(note.content), content, "round \(round), step \(step)")
                    XCTAssertEqual(note.list.map { model($0) }, list, "round \(round), step \(step)")
                    XCTAssertEqual(
                        model(.dictionary(note.map)), .dictionary(map), "round \(round), step \(step)")
                    realm.refresh()
                    XCTAssertEqual(shown, list, "what the observer shows in round \(round), step \(step)")
                    if testRun?.totalFailureCount != 0 { return }
                }
                token.invalidate()
            }
        }
    }
}
