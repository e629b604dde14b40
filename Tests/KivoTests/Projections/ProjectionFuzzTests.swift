import Foundation
import Kivo
import XCTest

/// Whatever is edited, in this instance and elsewhere, projections show their root's values. Their observers are notified of
/// what differs from what they saw last: each label with its value now, and before.
final class ProjectionFuzzTests: RealmTestCase {
    private final class Card: Projection<ProjectionPerson> {
        @Projected(\ProjectionPerson.firstName) var firstName
        @Projected(\ProjectionPerson.lastName.localizedUppercase) var caps
        @Projected(\ProjectionPerson.nickname) var nickname
        @Projected(\ProjectionPerson.age) var age
        @Projected(\ProjectionPerson.fullName) var fullName
        @Projected(\ProjectionPerson.address?.city) var city
        @Projected(\ProjectionPerson.address?.region?.country) var region
        @Projected(\ProjectionPerson.home?.country) var country
        @Projected(\ProjectionPerson.friends.count) var count
        @Projected(\ProjectionPerson.friends.projectTo.firstName) var names: ProjectedCollection<String>

        /// The shown values by label.
        var shown: [String: String] {
            [
                "firstName": firstName, "caps": caps, "nickname": nickname ?? "-", "age": "\(age)",
                "fullName": fullName, "city": city ?? "-", "region": region ?? "-", "country": country ?? "-",
                "count": "\(count)", "names": names.joined(separator: ","),
            ]
        }
    }

    /// Returns the root's values without a projection.
    private static func shown(_ root: ProjectionPerson) -> [String: String] {
        [
            "firstName": root.firstName, "caps": root.lastName.localizedUppercase,
            "nickname": root.nickname ?? "-", "age": "\(root.age)",
            "fullName": "\(root.firstName) \(root.lastName)", "city": root.address?.city ?? "-",
            "region": root.address?.region?.country ?? "-", "country": root.home?.country ?? "-",
            "count": "\(root.friends.count)", "names": root.friends.map(\.firstName).joined(separator: ","),
        ]
    }

    private struct Edit: Sendable {
        let kind: Int
        let number: Int

        init(_ random: inout RandomSource) {
            kind = random.below(20)
            number = random.below(4)
        }

        private func city(_ realm: Realm) -> ProjectionCity {
            realm.create(ProjectionCity.self, value: ["name": "city \(number)"], update: .modified)
        }

        func apply(to root: ProjectionPerson, _ realm: Realm) {
            var random = RandomSource(seed: UInt64(number * 20 + kind))
            switch kind {
            case 13: root.assign(random.loose("first \(number)"), "firstName", &random)
            case 14: root.assign(random.loose(number), "age", &random)
            case 15:
                root.assign(number == 0 ? random.null() : random.loose("nick \(number)"), "nickname", &random)
            case 16:
                let address = random.looseObject(["city": random.loose("\(number)"), "region": random.null()])
                root.assign(number == 0 ? random.null() : address, "address", &random)
            case 17: root.assign(random.null(), ["home", "friends", "tags"][number % 3], &random)
            case 18:
                let friends = (0..<number).map {
                    random.looseObject(["firstName": random.loose("given \($0)")])
                }
                root.assign(random.loose(friends), "friends", &random)
            case 19: root.mutableArrayValue(forKey: "tags").add(random.loose("\(number)"))
            case 0: root.firstName = "first \(number)"
            case 1: root.lastName = "last \(number)"
            case 2: root.age = number
            case 3: root.nickname = number == 0 ? nil : "nick \(number)"
            case 4:
                root.address =
                    number == 0
                    ? nil : ProjectionAddress(value: ["city": "\(number)", "region": city(realm)])
            case 5: root.address?.city = "\(number)"
            case 6: root.address?.region = number == 0 ? nil : city(realm)
            case 7: root.home = number == 0 ? nil : city(realm)
            case 8: city(realm).country = "country \(number)"
            case 9: root.friends.append(ProjectionPerson(value: ["firstName": "friend \(number)"]))
            case 10: if number < root.friends.count { root.friends.remove(at: number) }
            case 11: if number < root.friends.count { root.friends[number].firstName = "\(number)" }
            default: root.tags.append("\(number)")
            }
        }
    }

    func testObserversAreToldOfWhatDiffers() throws {
        var random = RandomSource()
        let realm = try openRealm()
        realm.autorefresh = false
        let root = ProjectionPerson()
        try realm.write { realm.add(root) }
        let card = Card(projecting: root)
        var seen = card.shown
        var hasOwnChanges = false
        var callCount = 0
        let token = card.observe { change in
            callCount += 1
            guard case .change(let card, let properties) = change else { return XCTFail("deleted") }
            let now = card.shown
            XCTAssertEqual(Set(properties.map(\.name)).count, properties.count)
            for property in properties where property.name != "names" {
                XCTAssertEqual(property.newValue.map { "\($0)" } ?? "-", now[property.name], property.name)
                if !hasOwnChanges {
                    XCTAssertEqual(
                        property.oldValue.map { "\($0)" } ?? "-", seen[property.name], "old \(property.name)")
                }
            }
            let names = Set(properties.map(\.name))
            for (label, value) in now where value != seen[label] {
                XCTAssertTrue(names.contains(label), "\(label) was \(seen[label] ?? "?") and is \(value)")
            }
            seen = now
        }
        for _ in 0..<300 {
            let edits = (0..<1 + random.below(3)).map { _ in Edit(&random) }
            if random.chance(50) {
                try writeElsewhere { realm in
                    let root = realm.objects(ProjectionPerson.self).first!
                    for edit in edits { edit.apply(to: root, realm) }
                }
            } else {
                realm.beginWrite()
                hasOwnChanges = false
                for edit in edits {
                    edit.apply(to: root, realm)
                    XCTAssertEqual(card.shown, Self.shown(root))
                }
                try realm.commitWrite()
                hasOwnChanges = true
            }
            XCTAssertEqual(card.shown, Self.shown(root))
            if random.chance(60) {
                realm.refresh()
                XCTAssertEqual(seen, Self.shown(root), "a change was not told")
                hasOwnChanges = false
            }
            if (testRun?.totalFailureCount ?? 0) > 0 { break }
        }
        XCTAssertGreaterThan(callCount, 100)
        token.invalidate()
    }
}
