import Foundation
import Kivo

/// A class with more columns than a word has bits.
final class StoredWide: Object {
    @Persisted var a: Int
    @Persisted var b: Int?
    @Persisted var c0: Int
    @Persisted var c1: Int
    @Persisted var c2: Int
    @Persisted var c3: Int
    @Persisted var c4: Int
    @Persisted var c5: Int
    @Persisted var c6: Int
    @Persisted var c7: Int
    @Persisted var c8: Int
    @Persisted var c9: Int
    @Persisted var c10: Int
    @Persisted var c11: Int
    @Persisted var c12: Int
    @Persisted var c13: Int
    @Persisted var c14: Int
    @Persisted var c15: Int
    @Persisted var c16: Int
    @Persisted var c17: Int
    @Persisted var c18: Int
    @Persisted var c19: Int
    @Persisted var c20: Int
    @Persisted var c21: Int
    @Persisted var c22: Int
    @Persisted var c23: Int
    @Persisted var c24: Int
    @Persisted var c25: Int
    @Persisted var c26: Int
    @Persisted var c27: Int
    @Persisted var c28: Int
    @Persisted var c29: Int
    @Persisted var c30: Int
    @Persisted var c31: Int
    @Persisted var c32: Int
    @Persisted var c33: Int
    @Persisted var c34: Int
    @Persisted var c35: Int
    @Persisted var c36: Int
    @Persisted var c37: Int
    @Persisted var c38: Int
    @Persisted var c39: Int
    @Persisted var c40: Int
    @Persisted var c41: Int
    @Persisted var c42: Int
    @Persisted var c43: Int
    @Persisted var c44: Int
    @Persisted var c45: Int
    @Persisted var c46: Int
    @Persisted var c47: Int
    @Persisted var c48: Int
    @Persisted var c49: Int
    @Persisted var c50: Int
    @Persisted var c51: Int
    @Persisted var c52: Int
    @Persisted var c53: Int
    @Persisted var c54: Int
    @Persisted var c55: Int
    @Persisted var c56: Int
    @Persisted var c57: Int
    @Persisted var c58: Int
    @Persisted var c59: Int
    @Persisted var d0: String?
    @Persisted var d1: String?
    @Persisted var d2: String?
    @Persisted var d3: String?
}

/// Rows of many leaves, some of which are deleted.
final class StoredRow: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var number: Int
    @Persisted var numbers: List<Int>
}

/// The class of rows in a later version of the program.
final class StoredLaterRow: Object {
    override class func _realmObjectName() -> String? { "StoredRow" }

    @Persisted(primaryKey: true) var key: String
    @Persisted var amount: Int
    @Persisted var note: String?
    @Persisted(indexed: true) var isOpen = true
    @Persisted var numbers: List<Int>
}

/// The commits that stored files were made of. The files are compared with what these lead to, so that this never changes:
/// what is new gets a history of its own.
enum StoredHistory {
    static let classes: [ObjectBase.Type] = [
        StoredScalars.self, StoredPart.self, StoredLists.self, StoredSets.self, StoredMaps.self,
        StoredWide.self,
        StoredRow.self,
    ]

    /// The classes of the later version of the program.
    static let laterClasses: [ObjectBase.Type] = Array(classes.dropLast()) + [StoredLaterRow.self]

    /// The commits until a checkpoint may be made.
    static func begin(_ realm: Realm) throws {
        try realm.write { addScalars(0..<30, to: realm) }
        try realm.write { addCollections(to: realm) }
        try realm.write { addNestedValues(to: realm) }
        try realm.write {
            for number in 0..<8 {
                let wide = StoredWide()
                wide.a = number
                wide.b = .sample(number)
                wide.c59 = -number
                realm.add(wide)
            }
        }
        try realm.write {
            for number in 0..<600 {
                realm.add(StoredRow(value: ["key": "row \(number)", "number": number * number]))
            }
            row(7, in: realm).numbers.append(objectsIn: 0..<700)
        }
        try realm.write {
            for number in 0..<600 where number % 3 == 0 || (300..<420).contains(number) {
                realm.delete(row(number, in: realm))
            }
        }
    }

    /// The commits after it.
    static func goOn(_ realm: Realm) throws {
        try realm.write {
            scalars(3, in: realm).fill(40)
            scalars(4, in: realm).next = nil
            scalars(5, in: realm).part?.inner?.name = "renamed"
            scalars(6, in: realm).part = nil
        }
        try realm.write(label: "Moves \u{1F600}", author: "") {
            let numbers = row(7, in: realm).numbers
            numbers.removeSubrange(100..<350)
            numbers.insert(-1, at: 3)
            numbers.move(from: 0, to: 5)
            numbers[9] = -2
        }
        try realm.write {
            realm.delete(scalars(11, in: realm))
            addScalars(30..<33, to: realm)
            let lists = realm.object(ofType: StoredLists.self, forPrimaryKey: "first")!
            lists.string.removeLast()
            lists.objects.remove(at: 1)
            let maps = realm.object(ofType: StoredMaps.self, forPrimaryKey: "first")!
            maps.int["added"] = 5
            maps.uuid.removeAll()
        }
    }

    private static func row(_ number: Int, in realm: Realm) -> StoredRow {
        realm.object(ofType: StoredRow.self, forPrimaryKey: "row \(number)")!
    }

    private static func scalars(_ id: Int, in realm: Realm) -> StoredScalars {
        realm.object(ofType: StoredScalars.self, forPrimaryKey: id)!
    }

    private static func addScalars(_ ids: Range<Int>, to realm: Realm) {
        for id in ids {
            let object = StoredScalars()
            object.id = id
            object.fill(id)
            realm.add(object)
            if id % 3 != 0 { object.next = scalars(id / 2, in: realm) }
            if id % 2 == 1 { object.part = part("part \(id)", inner: "inner \(id)") }
        }
    }

    private static func part(_ name: String, inner: String? = nil) -> StoredPart {
        let part = StoredPart()
        part.name = name
        part.numbers.append(objectsIn: 0..<name.utf8.count)
        if let inner { part.inner = self.part(inner) }
        return part
    }

    private static func addCollections(to realm: Realm) {
        for (id, number, count) in [("first", 0, 9), ("empty", 0, 0), ("last", 11, 14)] {
            let lists = StoredLists()
            let sets = StoredSets()
            let maps = StoredMaps()
            (lists.id, sets.id, maps.id) = (id, id, id)
            lists.fill(number, count: count)
            sets.fill(number, count: count)
            maps.fill(number, count: count)
            realm.add(lists)
            realm.add(sets)
            realm.add(maps)
            for index in 0..<count {
                let object = scalars((number + index * 5) % 30, in: realm)
                lists.objects.append(object)
                lists.objects.append(object)
                sets.objects.insert(object)
                maps.objects["\(index)"] = index % 4 == 3 ? .some(nil) : object
                lists.parts.append(part("in a list \(index)", inner: "inner"))
                maps.parts["\(index)"] = index % 3 == 2 ? .some(nil) : part("in a map \(index)")
            }
        }
    }

    private static func addNestedValues(to realm: Realm) {
        scalars(1, in: realm).any = .object(scalars(2, in: realm))
        scalars(2, in: realm).any = AnyRealmValue.fromArray([
            .int(1),
            .fromDictionary(["k": .fromArray([.string("deep"), .none]), "o": .object(scalars(9, in: realm))]),
        ])
        scalars(7, in: realm).any = AnyRealmValue.fromDictionary(["empty": .fromArray([]), "": .bool(true)])
        let lists = realm.object(ofType: StoredLists.self, forPrimaryKey: "first")!
        lists.any.append(.object(scalars(8, in: realm)))
        lists.any.append(.fromArray([.fromArray([.int(3)])]))
    }
}
