#if DEBUG
import Kivo
import XCTest

/// Listeners are found by what changed: how many there are that a commit does not concern appears in no cost.
final class ListenerFindingTests: RealmTestCase {
    private static let count = 40

    private func open() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: name, objectTypes: [FoundNode.self, FoundOwner.self]))
    }

    /// A realm with nodes of value 0 ..< count, each the only friend, group, named and child of the one before.
    private func chain() throws -> (realm: Realm, nodes: [FoundNode]) {
        let realm = try open()
        try realm.write {
            for value in 0..<Self.count { realm.create(FoundNode.self, value: ["value": value]) }
            let nodes = Array(realm.objects(FoundNode.self))
            for (node, next) in zip(nodes, nodes.dropFirst()) {
                node.child = next
                node.friends.append(next)
                node.group.insert(next)
                node.named["next"] = next
            }
            realm.create(FoundOwner.self)
        }
        return (realm, Array(realm.objects(FoundNode.self)))
    }

    /// How many listeners a commit looks at, and how many are called.
    private func look(_ realm: Realm, _ calls: () -> Int, _ change: () -> Void) throws -> (
        looked: Int, called: Int
    ) {
        realm.refresh()
        try realm.write {}
        realm.refresh()
        let (work, before) = (realm.listenerWork, calls())
        try realm.write(change)
        realm.refresh()
        return (realm.listenerWork - work, calls() - before)
    }

    func testConditionsAreFoundByTheValuesThatRowsHadAndHave() throws {
        let (realm, nodes) = try chain()
        var calls = 0
        let tokens = (0..<1000).map { low in
            realm.objects(FoundNode.self).where { $0.value >= 100 * low && $0.value < 100 * low + 100 }
                .observe(keyPaths: ["value"]) { _ in calls += 1 }
        }
        defer { for token in tokens { token.invalidate() } }
        // The group that shares its walk is one thing to look at, too.
        var result = try look(realm, { calls }) { nodes[3].value = 200_000 }
        XCTAssertEqual(result.called, 1)
        XCTAssertEqual(result.looked, 2)
        result = try look(realm, { calls }) { nodes[3].value = 200_001 }
        XCTAssertEqual(result.called, 0)
        XCTAssertEqual(result.looked, 1)
        result = try look(realm, { calls }) { nodes[3].value = 5_050 }
        XCTAssertEqual(result.called, 1)
        XCTAssertEqual(result.looked, 2)
        result = try look(realm, { calls }) { nodes[4].label = "another column" }
        XCTAssertEqual(result.looked, 0)
        result = try look(realm, { calls }) { realm.objects(FoundOwner.self)[0].value = 3 }
        XCTAssertEqual(result.looked, 0)
    }

    func testCollectionsAreFoundByTheirElements() throws {
        let (realm, nodes) = try chain()
        var calls: [String] = []
        var tokens: [NotificationToken] = []
        for (index, node) in nodes.enumerated() {
            tokens.append(node.friends.observe(keyPaths: ["value"]) { _ in calls.append("friends \(index)") })
            tokens.append(node.group.observe(keyPaths: ["value"]) { _ in calls.append("group \(index)") })
            tokens.append(node.named.observe(keyPaths: ["value"]) { _ in calls.append("named \(index)") })
            tokens.append(node.parents.observe(keyPaths: ["value"]) { _ in calls.append("parents \(index)") })
            tokens.append(node.numbers.observe { _ in calls.append("numbers \(index)") })
            let friends = node.friends.where { $0.value < 1_000 }
            tokens.append(friends.observe(keyPaths: ["value"]) { _ in calls.append("results \(index)") })
        }
        defer { for token in tokens { token.invalidate() } }
        // Five groups, and what holds or refers to the node.
        var result = try look(realm, { calls.count }) { nodes[7].value = 100 }
        XCTAssertEqual(
            calls.suffix(result.called), ["friends 6", "group 6", "named 6", "results 6", "parents 8"])
        XCTAssertEqual(result.looked, 10)
        result = try look(realm, { calls.count }) { nodes[7].numbers.append(1) }
        XCTAssertEqual(calls.suffix(result.called), ["numbers 7"])
        XCTAssertEqual(result.looked, 1)
        result = try look(realm, { calls.count }) { nodes[7].label = "another column" }
        XCTAssertEqual(result.looked, 0)
        result = try look(realm, { calls.count }) { realm.create(FoundOwner.self) }
        XCTAssertEqual(result.looked, 0)
    }

    func testObjectsAreFoundByRowAndColumn() throws {
        let (realm, nodes) = try chain()
        var calls: [String] = []
        var tokens: [NotificationToken] = []
        for (index, node) in nodes.enumerated() {
            for keyPaths in [["value"], ["label"], ["child.value"]] {
                tokens.append(
                    node.observe(keyPaths: keyPaths) { (_: ObjectChange<FoundNode>) in
                        calls.append("\(keyPaths[0]) \(index)")
                    })
            }
        }
        defer { for token in tokens { token.invalidate() } }
        var result = try look(realm, { calls.count }) { nodes[7].value = 100 }
        XCTAssertEqual(calls.suffix(result.called), ["child.value 6", "value 7"])
        XCTAssertEqual(result.looked, 3)
        result = try look(realm, { calls.count }) { nodes[7].label = "another" }
        XCTAssertEqual(calls.suffix(result.called), ["label 7"])
        XCTAssertEqual(result.looked, 1)
        result = try look(realm, { calls.count }) { nodes[7].weight = 1 }
        XCTAssertEqual(result.looked, 0)
        result = try look(realm, { calls.count }) { realm.delete(nodes[7]) }
        XCTAssertEqual(calls.suffix(result.called), ["child.value 6", "value 7", "label 7", "child.value 7"])
    }

    /// Tokens of before an invalidation do not count against listeners of after it.
    func testTokensThatOutliveAnInvalidation() throws {
        let (realm, nodes) = try chain()
        let value = nodes[0].value
        var calls = 0
        let old = [
            nodes[0].observe { (_: ObjectChange<FoundNode>) in calls += 1 },
            realm.objects(FoundNode.self).where { $0.value >= 0 }.observe { _ in calls += 1 },
        ]
        realm.invalidate()
        let node = realm.objects(FoundNode.self).where { $0.value == value }[0]
        let token = realm.objects(FoundNode.self).where { $0.value >= 0 }.observe { _ in calls += 1 }
        for token in old { token.invalidate() }
        XCTAssertEqual(realm.observerCount, 1)
        realm.refresh()
        try realm.write { node.value = 7 }
        realm.refresh()
        XCTAssertEqual(calls, 2)
        token.invalidate()
        XCTAssertEqual(realm.observerCount, 0)
    }

    /// Versions are not kept for listeners that commits do not concern.
    func testListenersThatAreNotConcernedKeepNoVersions() throws {
        let (realm, nodes) = try chain()
        var calls = 0
        let tokens = (0..<100).map { low in
            realm.objects(FoundNode.self).where { $0.value > 1_000 + low }.observe { _ in calls += 1 }
        }
        defer { for token in tokens { token.invalidate() } }
        realm.refresh()
        for value in 0..<50 {
            try realm.write { nodes[0].value = value }
            realm.refresh()
        }
        XCTAssertEqual(calls, 100)
        XCTAssertEqual(realm.versionCount, 1)
    }

    /// A listener that comes while a commit is not told of yet hears only of what comes after it.
    func testAListenerThatComesBetweenACommitAndItsDelivery() throws {
        let (realm, nodes) = try chain()
        var calls: [String] = []
        let first = nodes[0].observe { (_: ObjectChange<FoundNode>) in calls.append("first") }
        try realm.write { nodes[0].value = 100 }
        let second = nodes[0].observe { (_: ObjectChange<FoundNode>) in calls.append("second") }
        realm.refresh()
        XCTAssertEqual(calls, ["first"])
        try realm.write { nodes[0].value = 101 }
        realm.refresh()
        XCTAssertEqual(calls, ["first", "first", "second"])
        for token in [first, second] { token.invalidate() }
    }
}
#endif
