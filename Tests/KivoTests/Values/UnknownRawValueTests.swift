import Kivo
import XCTest

/// Raw values in a file that the program's enum has no case for any more.
final class UnknownRawValueTests: FileTestCase {
    private enum Before {
        enum Mood: String, PersistableEnum { case calm, wild, lost }

        class Cat: Object {
            @Persisted var mood: Mood?
            @Persisted var moods: List<Mood?>
            @Persisted var named: Map<String, Mood?>
        }
    }

    private enum After {
        enum Mood: String, PersistableEnum { case calm }

        class Cat: Object {
            @Persisted var mood: Mood?
            @Persisted var moods: List<Mood?>
            @Persisted var named: Map<String, Mood?>
        }
    }

    func testTheyAreNilWhereNilIsAllowed() throws {
        let before = Realm.Configuration(fileURL: file, objectTypes: [Before.Cat.self])
        try withRealm(before) { realm in
            try realm.write {
                let cat = realm.create(Before.Cat.self)
                cat.mood = .lost
                cat.moods.append(objectsIn: [.wild, nil, .calm])
                cat.named["a"] = .lost
            }
        }
        let after = Realm.Configuration(fileURL: file, objectTypes: [After.Cat.self])
        try withRealm(after) { realm in
            let cat = try XCTUnwrap(realm.objects(After.Cat.self).first)
            XCTAssertNil(cat.mood)
            XCTAssertEqual(Array(cat.moods), [nil, nil, .calm])
            XCTAssertEqual(cat.moods[0], nil)
            XCTAssertEqual(cat.named["a"], .some(nil))
        }
    }
}
