#if DEBUG
import Kivo
import KivoEngine
import XCTest

/// Random listeners and random commits, once with listeners that an index finds and once with the slow model, which asks every
/// listener at every delivery. Both notify the same listeners, in the same order.
final class ListenerFindingFuzzTests: RealmTestCase {
    private static let keyPaths: [[String]?] = [
        nil, nil, ["value"], ["label", "weight"], ["child"], ["child.value"], ["friends.value"], ["friends"],
        ["parents.value"], ["befriended"], ["value", "child.child.label"], ["named.weight"],
        ["group.value", "numbers"],
    ]

    /// One run: listeners that are added and removed, and the notifications that they receive.
    private final class Run {
        let realm: Realm
        var random: RandomSource
        var tokens: [(number: Int, token: NotificationToken)] = []
        var results: [Results<FoundNode>] = []
        var log: [String] = []
        var listeners = 0
        var writesInHandlers = 0

        init(_ realm: Realm, _ random: RandomSource) {
            self.realm = realm
            self.random = random
        }

        var nodes: Results<FoundNode> { realm.objects(FoundNode.self) }

        func node() -> FoundNode { nodes[random.below(nodes.count)] }

        func tell(_ number: Int, _ what: String) {
            log.append("\(number): \(what)")
            // Now and then a handler writes.
            guard writesInHandlers > 0, number % 7 == 0, !realm.isInWriteTransaction else { return }
            writesInHandlers -= 1
            do { try realm.write { edit() } } catch { log.append("\(error)") }
        }

        // MARK: Listeners

        func observe() {
            listeners += 1
            let number = listeners
            let keyPaths = ListenerFindingFuzzTests.keyPaths[
                random.below(ListenerFindingFuzzTests.keyPaths.count)]
            let token: NotificationToken
            switch random.below(11) {
            case 10: token = observeJointly(number)
            case 0, 1: token = observeObject(number, keyPaths)
            case 2: token = observe(number, node().friends, keyPaths)
            case 3: token = observe(number, node().group, keyPaths)
            case 4: token = observeMap(number, keyPaths)
            case 5: token = observe(number, node().numbers, nil)
            case 6: token = observe(number, node().parents, keyPaths)
            case 7: token = observe(number, query(on: node().friends), keyPaths)
            case 8:
                let owners = realm.objects(FoundOwner.self).where { $0.node.value > self.random.below(50) }
                token = owners.observe { [unowned self] in tell(number, text($0)) }
            default:
                let found = query(on: nodes)
                results.append(found)
                token = observe(number, found, keyPaths)
            }
            tokens.append((number, token))
        }

        private func query<C: RealmCollection>(on collection: C) -> Results<FoundNode>
        where C.Element == FoundNode {
            let low = random.below(50)
            let high = low + random.below(12)
            switch random.below(15) {
            case 0: return collection.where { $0.value == low }
            case 1, 2, 3, 4: return collection.where { $0.value >= low && $0.value < high }
            case 5: return collection.where { $0.value > low && $0.label == "\(high)" }
            case 6: return collection.where { $0.weight <= Double(low) }
            case 7: return collection.where { $0.value < low || $0.value > high }
            case 8: return collection.where { $0.child.value > low && $0.value < 40 }
            case 9: return collection.where { $0.value > low }.sorted(by: \.weight)
            case 10: return collection.sorted(by: \.label).distinct(by: [\.value])
            case 11: return collection.where { $0.label != "3" && $0.value.contains(low...high) }
            case 12: return collection.sorted(by: \.value).dropFirst(low / 4).first(high)
            case 13: return collection.where { $0.value > low }.first(high / 3)
            default: return collection.sorted(by: \.value)
            }
        }

        private func observeObject(_ number: Int, _ keyPaths: [String]?) -> NotificationToken {
            node().observe(keyPaths: keyPaths) { [unowned self] (change: ObjectChange<FoundNode>) in
                switch change {
                case .change(_, let properties):
                    tell(
                        number,
                        properties.map { "\($0.name) \($0.oldValue as? Int ?? -1)" }.joined(separator: ","))
                case .deleted: tell(number, "deleted")
                case .error(let error): tell(number, "\(error)")
                }
            }
        }

        private func observe<C: RealmCollection>(
            _ number: Int, _ collection: C, _ keyPaths: [String]?
        ) -> NotificationToken {
            collection.observe(keyPaths: keyPaths, on: nil) { [unowned self] in tell(number, text($0)) }
        }

        private func observeJointly(_ number: Int) -> NotificationToken {
            let (object, list, a, b) = (node(), node().friends, query(on: nodes), query(on: nodes))
            let set = object.group
            return realm.observe([object, list, a, b, set]) { [unowned self] changes in
                let parts = [
                    changes[list].map(text), changes[a].map(text), changes[b].map(text),
                    changes[set].map(text),
                    changes[object].map { "\($0)".prefix { $0 != "(" }.description },
                ]
                tell(number, parts.map { $0 ?? "" }.joined(separator: ", "))
            }
        }

        private func observeMap(_ number: Int, _ keyPaths: [String]?) -> NotificationToken {
            node().named.observe(keyPaths: keyPaths) { [unowned self] change in
                switch change {
                case .initial: tell(number, "initial")
                case .update(_, let deletions, let insertions, let modifications):
                    tell(number, "-\(deletions) +\(insertions) ~\(modifications)")
                case .error(let error): tell(number, "\(error)")
                }
            }
        }

        private func text<C>(_ change: RealmCollectionChange<C>) -> String {
            switch change {
            case .initial: "initial"
            case .update(_, let deletions, let insertions, let modifications):
                "-\(deletions) +\(insertions) ~\(modifications)"
            case .error(let error): "\(error)"
            }
        }

        // MARK: Commits

        func edit() { ListenerFindingFuzzTests.edit(realm, &random) }

        func write() throws {
            var skipped: [NotificationToken] = []
            if random.below(4) == 0, !tokens.isEmpty {
                skipped.append(tokens[random.below(tokens.count)].token)
            }
            try realm.write(withoutNotifying: skipped) {
                for _ in 0...random.below(random.below(8) == 0 ? 30 : 3) { edit() }
            }
        }
    }

    /// One random change of some object.
    private static func edit(_ realm: Realm, _ random: inout RandomSource) {
        let nodes = realm.objects(FoundNode.self)
        let node = nodes[random.below(nodes.count)]
        let other = nodes[random.below(nodes.count)]
        switch random.below(23) {
        case 17: node.assign(random.loose(random.below(50)), "value", &random)
        case 18: node.assign(random.null(), ["child", "friends", "named"][random.below(3)], &random)
        case 19:
            let child = random.looseObject(["value": random.loose(random.below(50)), "child": random.null()])
            node.assign(child, "child", &random)
        case 20:
            node.assign(
                random.loose([other, random.looseObject(["label": "given"]), node]), "friends", &random)
        case 21: node.named.setValue(random.null(), forKey: "\(random.below(4))")
        case 22:
            let numbers = (0..<random.below(4)).map { random.loose($0) }
            node.assign(random.loose(numbers), "numbers", &random)
        case 0, 1, 2: node.value = random.below(50)
        case 3: node.weight = Double(random.below(50))
        case 4: node.label = "\(random.below(20))"
        case 5: node.child = random.below(3) == 0 ? nil : other
        case 6: node.friends.append(other)
        case 7: if !node.friends.isEmpty { node.friends.remove(at: random.below(node.friends.count)) }
        case 8: if random.below(2) == 0 { node.group.insert(other) } else { node.group.remove(other) }
        case 9: node.named["\(random.below(4))"] = other
        case 10: node.named.removeObject(for: "\(random.below(4))")
        case 11: node.numbers.append(random.below(9))
        case 12: if !node.numbers.isEmpty { node.numbers[0] = random.below(9) }
        case 13:
            realm.create(FoundNode.self, value: ["value": random.below(50), "label": "\(random.below(20))"])
        case 14: if nodes.count > 20 { realm.delete(node) }
        case 15: realm.create(FoundOwner.self).node = node
        default: if let owner = realm.objects(FoundOwner.self).first { owner.value = random.below(9) }
        }
    }

    private func run(_ round: Int, asksEveryListener: Bool) throws -> [String] {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "\(name)-\(round)-\(asksEveryListener)",
            objectTypes: [FoundNode.self, FoundOwner.self])
        let realm = try Realm(configuration: configuration)
        realm.autorefresh = false
        realm.asksEveryListener = asksEveryListener
        let run = Run(realm, RandomSource("listeners are found \(round)"))
        try realm.write {
            for value in 0..<30 {
                realm.create(FoundNode.self, value: ["value": value, "label": "\(value)"])
            }
            for _ in 0..<120 { run.edit() }
        }
        for step in 0..<40 {
            run.log.append("step \(step)")
            for _ in 0..<(step == 0 ? 90 : run.random.below(4)) { run.observe() }
            if run.random.below(3) == 0 {
                run.tokens.remove(at: run.random.below(run.tokens.count)).token.invalidate()
            }
            run.writesInHandlers = run.random.below(3)
            switch run.random.below(4) {
            case 0:
                let random = Lock(run.random)
                try onAnotherThread {
                    try Realm(configuration: configuration).write {
                        random.withLock {
                            for _ in 0...$0.below(4) {
                                Self.edit(try! Realm(configuration: configuration), &$0)
                            }
                        }
                    }
                }
                run.random = random.withLock { $0 }
            default: try run.write()
            }
            // Results that are read before their notification are up to date at once.
            if run.random.below(3) == 0, let found = run.results.randomElement(using: &run.random) {
                run.log.append("\(found.count)")
            }
            if run.random.below(3) > 0 { realm.refresh() }
        }
        realm.refresh()
        return run.log
    }

    func testFoundListenersAreToldWhatAllWould() throws {
        for round in 0..<2 {
            let found = try run(round, asksEveryListener: false)
            let asked = try run(round, asksEveryListener: true)
            for (place, pair) in zip(found, asked).enumerated() where pair.0 != pair.1 {
                return XCTFail("round \(round), call \(place): found \(pair.0), asked \(pair.1)")
            }
            XCTAssertEqual(found.count, asked.count, "round \(round)")
            XCTAssertGreaterThan(found.count, 100)
        }
    }
}
#endif
