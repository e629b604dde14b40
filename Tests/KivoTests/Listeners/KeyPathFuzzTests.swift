import Foundation
import Kivo
import TestRandomness
import XCTest

/// Observers of key paths over a graph that changes at random, compared with a slow model that evaluates each path before and
/// after. An observer is notified exactly when something on the path, as it was before, was assigned.
final class KeyPathFuzzTests: RealmTestCase {
    private static let paths = [
        "value", "child.value", "child.other.value", "child.child.child.value", "list.@count",
        "other.list.@count", "child.list", "child.other.list", "digest", "child.digest", "other.child.digest",
    ]
    private static let typedPaths: [(path: String, keyPath: any KeyPath<MeshNode, Int?> & Sendable)] = [
        ("child.value", \.child?.value), ("other.child.value", \.other?.child?.value),
        ("child.other.child.value", \.child?.other?.child?.value),
    ]
    private static let count = 6
    /// The nodes from this index on are not roots, and may be deleted.
    private static let roots = 4

    // MARK: The model

    /// A property of a node.
    private struct Slot: Hashable {
        enum Property: Hashable { case value, child, other, list }
        var node: Int
        var property: Property
    }

    private enum Edit: Sendable {
        case value(Int, Int)
        case child(Int, Int?)
        case other(Int, Int?)
        case append(Int, Int)
        case remove(Int, Int)
        case replace(Int, Int, Int)
        /// Deletes a node; another takes its place.
        case kill(Int)
    }

    private struct Graph: Equatable {
        struct Node: Equatable {
            var value = 0
            var child: Int?
            var other: Int?
            var list: [Int] = []
        }
        var nodes = Array(repeating: Node(), count: KeyPathFuzzTests.count)

        /// Returns the value of a path, and every slot on it.
        func evaluate(_ root: Int, _ path: String) -> (text: String, slots: Set<Slot>) {
            var slots: Set<Slot> = []
            let text = evaluate(root, path.split(separator: ".").map(String.init)[...], &slots)
            return (text ?? "null", slots)
        }

        private func evaluate(_ node: Int, _ path: ArraySlice<String>, _ slots: inout Set<Slot>) -> String? {
            let current = nodes[node]
            switch path.first {
            case "value":
                slots.insert(Slot(node: node, property: .value))
                return "\(current.value)"
            case "child":
                slots.insert(Slot(node: node, property: .child))
                return current.child.flatMap { evaluate($0, path.dropFirst(), &slots) }
            case "other":
                slots.insert(Slot(node: node, property: .other))
                return current.other.flatMap { evaluate($0, path.dropFirst(), &slots) }
            case "list":
                slots.insert(Slot(node: node, property: .list))
                return "\(current.list.count)"
            default:
                let parts = ["child.value", "child.other.value", "other.list.@count"].map { part in
                    evaluate(node, part.split(separator: ".").map(String.init)[...], &slots) ?? "-"
                }
                return parts.joined(separator: "/")
            }
        }

        /// Carries an edit out; what was assigned.
        mutating func apply(_ edit: Edit) -> Set<Slot> {
            switch edit {
            case .value(let node, let value):
                nodes[node].value = value
                return [Slot(node: node, property: .value)]
            case .child(let node, let target):
                nodes[node].child = target
                return [Slot(node: node, property: .child)]
            case .other(let node, let target):
                nodes[node].other = target
                return [Slot(node: node, property: .other)]
            case .append(let node, let target):
                nodes[node].list.append(target)
                return [Slot(node: node, property: .list)]
            case .remove(let node, let place):
                if nodes[node].list.isEmpty { return [] }
                nodes[node].list.remove(at: place % nodes[node].list.count)
                return [Slot(node: node, property: .list)]
            case .replace(let node, let place, let target):
                if nodes[node].list.isEmpty { return [] }
                nodes[node].list[place % nodes[node].list.count] = target
                return [Slot(node: node, property: .list)]
            case .kill(let dead):
                var slots: Set<Slot> = []
                for node in nodes.indices where node != dead {
                    if nodes[node].child == dead {
                        nodes[node].child = nil
                        slots.insert(Slot(node: node, property: .child))
                    }
                    if nodes[node].other == dead {
                        nodes[node].other = nil
                        slots.insert(Slot(node: node, property: .other))
                    }
                    if nodes[node].list.contains(dead) {
                        nodes[node].list.removeAll { $0 == dead }
                        slots.insert(Slot(node: node, property: .list))
                    }
                }
                nodes[dead] = Node()
                return slots
            }
        }
    }

    private func randomEdit(_ random: inout RandomSource, isManaged: Bool) -> Edit {
        let (node, target) = (random.below(Self.count), random.below(Self.count))
        switch random.below(isManaged ? 11 : 10) {
        case 0...2: return .value(node, random.below(4))
        case 3...4: return .child(node, random.chance(25) ? nil : target)
        case 5...6: return .other(node, random.chance(25) ? nil : target)
        case 7: return .append(node, target)
        case 8: return .remove(node, random.below(100))
        case 9: return .replace(node, random.below(100), target)
        default: return .kill(random.below(Self.count - Self.roots) + Self.roots)
        }
    }

    // MARK: The objects

    private static func make(_ edit: Edit, _ node: (Int) -> MeshNode) {
        switch edit {
        case .value(let index, let value):
            var random = RandomSource(seed: UInt64(value + index))
            node(index).assign(random.loose(value), "value", &random)
        case .child(let index, nil):
            var random = RandomSource(seed: UInt64(index))
            node(index).assign(random.null(), "child", &random)
        case .child(let index, let target): node(index).child = target.map { node($0) }
        case .other(let index, let target): node(index).other = target.map { node($0) }
        case .append(let index, let target): node(index).list.append(node(target))
        case .remove(let index, let place):
            let list = node(index).list
            if !list.isEmpty { list.remove(at: place % list.count) }
        case .replace(let index, let place, let target):
            let list = node(index).list
            if !list.isEmpty { list[place % list.count] = node(target) }
        case .kill(let index):
            let dead = node(index)
            guard let realm = dead.realm else { return }
            realm.delete(dead)
            realm.create(MeshNode.self, value: ["number": index])
        }
    }

    private static func node(_ realm: Realm) -> (Int) -> MeshNode {
        { realm.object(ofType: MeshNode.self, forPrimaryKey: $0)! }
    }

    /// An observer of one path from one root, and the notifications that it received.
    private final class Follower: KeyValueObserver {
        let root: Int
        let path: String
        var calls: [(old: String, new: String)] = []
        /// The number of correct notifications.
        var rightCount = 0
        private var token: KeyValueObservation?

        let isTyped: Bool

        init(_ root: Int, _ path: String, isTyped: Bool) {
            self.root = root
            self.path = path
            self.isTyped = isTyped
        }

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            func text(_ key: NSKeyValueChangeKey) -> String {
                guard let value = change?[key] else { return "nothing" }
                if let values = value as? [Any] { return "\(values.count)" }
                return value is NSNull ? "null" : "\(value)"
            }
            calls.append((text(.oldKey), text(.newKey)))
        }

        func register(_ node: MeshNode) {
            guard let typed = KeyPathFuzzTests.typedPaths.first(where: { $0.path == path }), isTyped else {
                return node.addObserver(self, forKeyPath: path, options: [.old, .new])
            }
            token = node.observe(typed.keyPath, options: [.old, .new]) { [unowned self] _, change in
                func text(_ value: Int??) -> String {
                    value.map { $0.map { "\($0)" } ?? "null" } ?? "nothing"
                }
                calls.append((text(change.oldValue), text(change.newValue)))
            }
        }

        func unregister(_ node: MeshNode) {
            if isTyped { token = nil } else { node.removeObserver(self, forKeyPath: path) }
        }
    }

    private func followers() -> [Follower] {
        (0..<Self.roots).flatMap { root in
            Self.paths.map { Follower(root, $0, isTyped: false) }
                + Self.typedPaths.map { Follower(root, $0.path, isTyped: true) }
        }
    }

    /// Returns the first incorrect notification of a follower, or nil.
    ///
    /// - Parameters:
    ///   - assigned: what was assigned between the two states.
    ///   - doubtful: lists whose operations may have cancelled out.
    private func check(
        _ follower: Follower, _ before: Graph, _ after: Graph, _ assigned: Set<Slot>,
        _ doubtful: Set<Slot> = []
    ) -> String? {
        defer { follower.calls = [] }
        let (old, slots) = before.evaluate(follower.root, follower.path)
        let new = after.evaluate(follower.root, follower.path).text
        let hits = slots.intersection(assigned)
        let what = "\(follower.root).\(follower.path): \(follower.calls), from \(old) to \(new)"
        if hits.isEmpty { return follower.calls.isEmpty ? nil : "told for nothing: \(what)" }
        if follower.calls.isEmpty { return hits.isSubset(of: doubtful) ? nil : "not told: \(what)" }
        if follower.calls.count > 1 { return "told more than once: \(what)" }
        guard follower.calls[0] == (old, new) else { return "told otherwise: \(what)" }
        follower.rightCount += 1
        return nil
    }

    /// The lists that hold the same as before although something was done to them.
    private func doubtful(_ before: Graph, _ after: Graph, _ assigned: Set<Slot>) -> Set<Slot> {
        assigned.filter { $0.property == .list && before.nodes[$0.node].list == after.nodes[$0.node].list }
    }

    // MARK: The tests

    func testUnmanagedObjects() {
        var random = RandomSource()
        let nodes = (0..<Self.count).map { _ in MeshNode() }
        let followers = followers()
        for follower in followers { follower.register(nodes[follower.root]) }
        var graph = Graph()
        for step in TestEffort.rounds(4000, within: 0.24, atLeast: 300) {
            if random.chance(5), let follower = followers.randomElement(using: &random) {
                follower.unregister(nodes[follower.root])
                follower.register(nodes[follower.root])
            }
            let edit = randomEdit(&random, isManaged: false)
            let before = graph
            let assigned = graph.apply(edit)
            Self.make(edit) { nodes[$0] }
            let problems = followers.compactMap { check($0, before, graph, assigned) }
            guard problems.isEmpty else {
                return XCTFail("step \(step) \(edit): \(problems)\n\(before.nodes)")
            }
        }
        for follower in followers {
            XCTAssertGreaterThan(
                follower.rightCount, TestEffort.expected(20), "\(follower.root).\(follower.path)")
            follower.unregister(nodes[follower.root])
        }
        for node in nodes {
            (node.child, node.other) = (nil, nil)
            node.list.removeAll()
        }
    }

    func testManagedObjects() throws {
        var random = RandomSource()
        let realm = try openRealm()
        try realm.write {
            for number in 0..<Self.count { realm.create(MeshNode.self, value: ["number": number]) }
        }
        let roots = (0..<Self.roots).map(Self.node(realm))
        let followers = followers()
        for follower in followers { follower.register(roots[follower.root]) }
        var graph = Graph()
        let configuration = configuration
        let queue = DispatchQueue(label: "other writer")
        for step in TestEffort.rounds(1500, within: 0.36, atLeast: 100) {
            if random.chance(5), let follower = followers.randomElement(using: &random) {
                follower.unregister(roots[follower.root])
                follower.register(roots[follower.root])
            }
            let edits = (0...random.below(5)).map { _ in randomEdit(&random, isManaged: true) }
            let start = graph
            var (assigned, problems): (Set<Slot>, [String]) = ([], [])
            let kind = random.below(3)
            if kind < 2 {
                realm.beginWrite()
                for edit in edits {
                    let before = graph
                    let slots = graph.apply(edit)
                    assigned.formUnion(slots)
                    // Through the observed instance, or through another one of the same row.
                    let isDirect = random.chance(50)
                    Self.make(edit) { isDirect && $0 < Self.roots ? roots[$0] : Self.node(realm)($0) }
                    problems += followers.compactMap { check($0, before, graph, slots) }
                }
                if kind == 0 {
                    try realm.commitWrite()
                } else {
                    let end = graph
                    graph = start
                    realm.cancelWrite()
                    let doubtful = doubtful(start, end, assigned)
                    problems += followers.compactMap { check($0, end, start, assigned, doubtful) }
                }
            } else {
                for edit in edits { assigned.formUnion(graph.apply(edit)) }
                let isSplit = random.chance(30)
                try queue.sync {
                    let realm = try Realm(configuration: configuration, queue: queue)
                    let parts = isSplit ? edits.map { [$0] } : [edits]
                    for part in parts {
                        try realm.write { for edit in part { Self.make(edit, Self.node(realm)) } }
                    }
                }
                realm.refresh()
                let doubtful = doubtful(start, graph, assigned)
                problems += followers.compactMap { check($0, start, graph, assigned, doubtful) }
            }
            guard problems.isEmpty else {
                let ways = ["commit", "cancel", "refresh"]
                return XCTFail("step \(step), \(ways[kind]) \(edits): \(problems)\n\(start.nodes)")
            }
        }
        for follower in followers {
            XCTAssertGreaterThan(
                follower.rightCount, TestEffort.expected(20), "\(follower.root).\(follower.path)")
            follower.unregister(roots[follower.root])
        }
    }
}

class MeshNode: Object {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var value = 0
    @Persisted var child: MeshNode?
    @Persisted var other: MeshNode?
    @Persisted var list: List<MeshNode>

    var digest: String {
        let parts = [child?.value, child?.other?.value, other?.list.count]
        return parts.map { $0.map { "\($0)" } ?? "-" }.joined(separator: "/")
    }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        guard key == "digest" else { return [] }
        return ["child.value", "child.other.value", "other.list.@count"]
    }

    override class func computedProperties() -> [String: AnyKeyPath] { ["digest": \MeshNode.digest] }
}
