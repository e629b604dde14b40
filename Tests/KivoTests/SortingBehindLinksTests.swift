import Foundation
import Kivo
import XCTest

private final class SortedBranch: Object {
    @Persisted var name = ""
    @Persisted var weight: Int?
    @Persisted var next: SortedBranch?
}

/// Where elements come that a link on the way to their key keeps from having one.
final class SortingBehindLinksTests: RealmTestCase {
    /// Branches that link to ones with the given weights, and one that links to none.
    private func branches(_ weights: [Int?]) throws -> (realm: Realm, branches: Results<SortedBranch>) {
        let realm = try openRealm()
        try realm.write {
            realm.create(SortedBranch.self, value: ["name": "none"])
            for weight in weights {
                let next = SortedBranch(value: ["name": "-", "weight": weight as Any])
                realm.add(SortedBranch(value: ["name": weight.map(String.init) ?? "nil", "next": next]))
            }
        }
        return (realm, realm.objects(SortedBranch.self).where { $0.name != "-" })
    }

    private func names(_ branches: Results<SortedBranch>) -> [String] { branches.map(\.name) }

    func testTheyComeAfterAllValuesAndNilBeforeThem() throws {
        let branches = try branches([3, nil, .max, .min]).branches
        let lightest = branches.sorted(byKeyPath: "next.weight")
        XCTAssertEqual(names(lightest), ["nil", "\(Int.min)", "3", "\(Int.max)", "none"])
        XCTAssertEqual(lightest.first?.name, "nil")
        XCTAssertEqual(lightest.last?.name, "none")
        XCTAssertEqual(
            names(branches.sorted(byKeyPath: "next.weight", ascending: false)),
            ["none", "\(Int.max)", "3", "\(Int.min)", "nil"])
    }

    func testWhereASecondKeyDecides() throws {
        let (realm, branches) = try branches([1, 2])
        try realm.write { realm.create(SortedBranch.self, value: ["name": "a"]) }
        let sorted = branches.sorted(by: ["next.weight", "name"])
        XCTAssertEqual(names(sorted), ["1", "2", "a", "none"])
        XCTAssertEqual(names(branches.sorted(by: ["next.next.weight", "name"])), ["1", "2", "a", "none"])
        XCTAssertEqual(
            names(branches.sorted(by: [SortDescriptor(keyPath: "next.name"), "next.weight"])),
            ["1", "2", "none", "a"], "equal names, then the weight; behind no link neither")
    }

    func testObservedResultsMoveThemWhenTheyGetALink() throws {
        let (realm, branches) = try branches([1, 5])
        let sorted = branches.sorted(byKeyPath: "next.weight")
        let token = sorted.observe { _ in }
        XCTAssertEqual(names(sorted), ["1", "5", "none"])
        let none = try XCTUnwrap(branches.where { $0.name == "none" }.first)
        try realm.write { none.next = SortedBranch(value: ["name": "-", "weight": 3]) }
        XCTAssertEqual(names(sorted), ["1", "none", "5"])
        try realm.write { none.next?.weight = nil }
        XCTAssertEqual(names(sorted), ["none", "1", "5"])
        try realm.write { none.next = nil }
        XCTAssertEqual(names(sorted), ["1", "5", "none"])
        token.invalidate()
    }
}
