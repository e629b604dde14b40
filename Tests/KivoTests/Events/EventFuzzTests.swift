import Kivo
import KivoTesting
import TestRandomness
import XCTest

/// The events of random listeners are exactly the calls that these receive.
final class EventFuzzTests: RealmTestCase {
    /// The numbers that one call reports.
    private struct Call: Equatable {
        var isInitial = false
        var numbers = [0, 0, 0]
    }

    private var random = RandomSource()

    private func call<C>(_ change: RealmCollectionChange<C>) -> Call {
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
            return Call(isInitial: true)
        }
        return Call(numbers: [insertions.count, deletions.count, modifications.count])
    }

    func testEventsAreTheCalls() throws {
        for _ in TestEffort.rounds(12, within: 0.3) { try check() }
    }

    private func check() throws {
        let realm = try openRealm()
        let (name, heard) = (
            name, Shared<[(start: ContinuousClock.Instant, delivery: Realm.Event.Delivery)]>([])
        )
        Realm.events = { event in
            guard event.realm == name, case .delivery(let delivery) = event.kind else { return }
            heard.update { $0.append((event.start, delivery)) }
        }
        defer { Realm.events = nil }
        var person: Person!
        try realm.write {
            realm.deleteAll()
            person = realm.create(Person.self)
            for age in 0..<12 { person.dogs.append(realm.create(Dog.self, value: ["age": age])) }
        }
        var calls: [String: [Call]] = [:]
        var tokens: [(name: String, token: NotificationToken)] = []
        // The blocks refer to the tokens, which would otherwise live on.
        defer { for (_, token) in tokens { token.invalidate() } }
        var (added, nested) = (0, 0)
        func edit() {
            let dogs = realm.objects(Dog.self)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                person.dogs.append(
                    realm.create(Dog.self, value: ["age": Int.random(in: 0..<20, using: &random)]))
            case 1 where dogs.count > 3: realm.delete(dogs[Int.random(in: 0..<dogs.count, using: &random)])
            case 2 where person.dogs.count > 1: person.dogs.move(from: 0, to: person.dogs.count - 1)
            default:
                dogs[Int.random(in: 0..<dogs.count, using: &random)].age = Int.random(
                    in: 0..<20, using: &random)
            }
        }
        func add() {
            added += 1
            let name = "listener \(added)"
            func note(_ call: Call) {
                calls[name, default: []].append(call)
                // Handlers write, and end themselves.
                if self.random.chance(5), nested < 20, !realm.isInWriteTransaction {
                    nested += 1
                    expectSuccess { try realm.write { edit() } }
                }
                if self.random.chance(5) { tokens.removeAll { $0.name == name } }
            }
            let token =
                switch random.below(6) {
                case 0: realm.objects(Dog.self).observe { note(self.call($0)) }
                case 1: realm.objects(Dog.self).where { $0.age > 9 }.observe { note(self.call($0)) }
                case 2: realm.objects(Dog.self).sorted(by: \.age).first(4).observe { note(self.call($0)) }
                case 3: person.dogs.observe { note(self.call($0)) }
                case 4: realm.objects(Dog.self).observe(pacing: .manual) { note(self.call($0)) }
                default:
                    person.dogs.observe(withMoves: { change, _ in note(self.call(change)) })
                }
            tokens.append((name, token.named(name)))
        }
        for _ in 0..<5 { add() }
        for _ in 0..<50 {
            switch random.below(6) {
            case 0: add()
            case 1 where !tokens.isEmpty: tokens.remove(at: random.below(tokens.count)).token.invalidate()
            case 2: realm.refresh()
            case 3: tokens.randomElement(using: &random)?.token.deliverNow()
            case 4:
                let silent = tokens.filter { _ in random.chance(20) }.map(\.token)
                try realm.write(withoutNotifying: silent) { edit() }
            default: try realm.write { edit() }
            }
        }
        realm.refresh()
        Events.finish()
        var told: [String: [Call]] = [:]
        var versions: [String: UInt64] = [:]
        // Calls inside of others end, and are told of, before these.
        for (_, delivery) in heard.value.sorted(by: { $0.start < $1.start }) {
            let name = try XCTUnwrap(delivery.listener.name, "\(delivery)")
            told[name, default: []].append(
                Call(
                    isInitial: delivery.isInitial,
                    numbers: [delivery.insertions, delivery.deletions, delivery.modifications]))
            XCTAssertGreaterThanOrEqual(delivery.versions.lowerBound, versions[name] ?? 0)
            versions[name] = delivery.versions.upperBound
        }
        XCTAssertEqual(told, calls)
    }
}
