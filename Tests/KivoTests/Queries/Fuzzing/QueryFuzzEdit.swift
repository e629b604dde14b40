import Kivo
import Synchronization

extension QueryFuzz {
    /// The effect of an edit on an object, by its number.
    enum Event: Sendable {
        case created(Int)
        case assigned(Int, Int)
        /// An object got or lost a referrer.
        case referred(Int)
    }

    /// Half of the number that the next object gets. The other bit of it says of which class it is.
    static let nextID = Atomic<Int>(100)

    /// One random edit, which can be made in any instance of the realm: numbers are taken modulo the counts
    /// that it
    /// finds.
    struct Edit: Sendable, CustomStringConvertible {
        var kind: Int
        var (a, b, c): (Int, Int, Int)
        var values: [Value]

        init(_ generator: inout Generator) {
            kind = generator.random.below(100)
            (a, b, c) = (
                generator.random.below(1000), generator.random.below(1000), generator.random.below(1000)
            )
            values = []
            switch kind {
            case 0..<10: values = QueryFuzz.things.map { generator.value($0) }
            case 10..<13: values = QueryFuzz.holders.map { generator.value($0) }
            case 13..<38: values = [generator.value(QueryFuzz.things[b % QueryFuzz.things.count])]
            case 38..<45: values = [generator.value(QueryFuzz.holders[b % QueryFuzz.holders.count])]
            default: break
            }
        }

        var description: String { "\(kind)(\(a),\(b),\(c)\(values.count == 1 ? ",\(values[0])" : ""))" }

        /// Makes the edit; returns its effects.
        func make(in realm: Realm) -> [Event] {
            let before = referrals(in: realm)
            let events = edit(realm)
            return events + before.symmetricDifference(referrals(in: realm)).map { .referred($0[2]) }
        }

        /// Returns the numbers of all objects that refer to another, each with the number of the property and that of the other one. An
        /// object may refer to another by several properties, and lose one of them.
        private func referrals(in realm: Realm) -> Set<[Int]> {
            var referrals: Set<[Int]> = []
            for thing in realm.objects(QueryFuzzThing.self) {
                let targets: [[Int]?] = [
                    thing.link.map { [$0.id] }, thing.owner.map { [$0.id] }, thing.things.map(\.id),
                ]
                for (property, ids) in targets.enumerated() {
                    for target in ids ?? [] { referrals.insert([thing.id, property, target]) }
                }
            }
            for holder in realm.objects(QueryFuzzHolder.self) {
                let targets: [[Int]?] = [
                    holder.boss.map { [$0.id] }, holder.things.map(\.id), holder.set.map(\.id),
                ]
                for (property, ids) in targets.enumerated() {
                    for target in ids ?? [] { referrals.insert([holder.id, property, target]) }
                }
            }
            return referrals
        }

        private func edit(_ realm: Realm) -> [Event] {
            let (things, holders) = (realm.objects(QueryFuzzThing.self), realm.objects(QueryFuzzHolder.self))
            switch kind {
            case 0..<10: return create(QueryFuzzThing(), realm) { $0.id = $1 }
            case 10..<13: return create(QueryFuzzHolder(), realm) { $0.id = $1 }
            default: break
            }
            guard !things.isEmpty else { return [] }
            let (thing, other) = (things[a % things.count], things[b % things.count])
            let holder = holders.isEmpty ? nil : holders[c % holders.count]
            switch kind {
            case 13..<38: return assign(thing, .thing)
            case 38..<45: return holder.map { assign($0, .holder) } ?? []
            case 45..<50:
                thing.link = c % 4 == 0 ? nil : other
                return [thing.assigned("link")]
            case 50..<54:
                thing.owner = b % 4 == 0 ? nil : holder
                return [thing.assigned("owner")]
            case 54, 55:
                guard let holder else { return [] }
                holder.boss = b % 3 == 0 ? nil : holders[b % holders.count]
                return [holder.assigned("boss")]
            case 56..<68:
                guard a % 2 == 0, let holder else {
                    return editList(thing.things, things).map { [thing.assigned("things")] } ?? []
                }
                return editList(holder.things, things).map { [holder.assigned("things")] } ?? []
            case 68..<74:
                guard let holder else { return [] }
                return editSet(holder.set, other) ? [holder.assigned("set")] : []
            case 74..<79: return editNumbers(thing.numbers) ? [thing.assigned("numbers")] : []
            case 79..<83:
                let key = ["a", "b", "c"][b % 3]
                if c % 3 == 0, thing.map[key] == nil { return [] }
                thing.map[key] = c % 3 == 0 ? nil : c % 5
                return [thing.assigned("map")]
            case 83..<91: return delete([thing], realm)
            case 91: return delete(Array(things.where { $0.int == b % 5 }), realm)
            case 92: return holder.map { delete([$0], realm) } ?? []
            case 93 where c % 8 == 0:
                realm.deleteAll()
                return []
            case 94: return delete(Array(thing.things), realm)
            case 95:
                guard let holder else { return [] }
                let isChange = holder.int != b % 5
                let values: [String: Any] = ["id": holder.id, "int": b % 5]
                realm.create(QueryFuzzHolder.self, value: values, update: a % 2 == 0 ? .all : .modified)
                return isChange || a % 2 == 0 ? [holder.assigned("int")] : []
            default: return assign(thing, .thing)
            }
        }

        private func create<Model: QueryFuzzModel>(
            _ object: Model, _ realm: Realm, _ setID: (Model, Int) -> Void
        ) -> [Event] {
            let number = QueryFuzz.nextID.add(1, ordering: .relaxed).newValue
            let id = number * 2 + Model.fuzzClass.rawValue
            let given = zip(QueryFuzz.properties(Model.fuzzClass), values).filter {
                $0.0.isWritable && $0.0.shape.isScalar
            }
            var random = RandomSource(seed: UInt64(c))
            if random.chance(25) {
                var entries = Dictionary(uniqueKeysWithValues: given.map { ($0.0.name, $0.1.loose(&random)) })
                entries["id"] = random.loose(id)
                realm.create(Model.self, value: random.looseObject(entries))
            } else {
                setID(object, id)
                for (property, value) in given { property.write(object, value) }
                realm.add(object)
            }
            return [.created(id)]
        }

        /// Assigns a value to a scalar property, or the one that it has.
        private func assign<Model: QueryFuzzModel>(_ object: Model, _ type: Class) -> [Event] {
            let properties = QueryFuzz.properties(type)
            let index = b % properties.count
            guard properties[index].isWritable, properties[index].shape.isScalar else { return [] }
            let isSame = c % 8 == 0 || values.isEmpty
            let value = isSame ? properties[index].read(object)[0] : values[0]
            var random = RandomSource(seed: UInt64(c))
            if random.chance(25) {
                object.assign(value.loose(&random), properties[index].name, &random)
            } else {
                properties[index].write(object, value)
            }
            return [.assigned(object.id, index)]
        }

        private func editList(_ list: List<QueryFuzzThing>, _ things: Results<QueryFuzzThing>) -> Void? {
            let object = things[b % things.count]
            if list.isEmpty || c % 9 < 3 { return list.insert(object, at: c % (list.count + 1)) }
            let (first, second) = (c % list.count, b % list.count)
            switch c % 9 {
            case 3: list.remove(at: first)
            case 4: list[first] = object
            case 5:
                guard first != second else { return nil }
                list.move(from: first, to: second)
            case 6:
                guard first != second else { return nil }
                list.swapAt(first, second)
            case 7: list.append(objectsIn: [object, things[a % things.count], object])
            default: if b % 6 == 0 { list.removeAll() } else { list.removeLast() }
            }
            return ()
        }

        private func editSet(_ set: MutableSet<QueryFuzzThing>, _ object: QueryFuzzThing) -> Bool {
            if c % 12 == 0, !set.isEmpty {
                set.removeAll()
            } else if set.contains(object) {
                set.remove(object)
            } else {
                set.insert(object)
            }
            return true
        }

        private func editNumbers(_ list: List<Int>) -> Bool {
            let value = b % 5
            if list.isEmpty || c % 5 < 2 {
                list.insert(value, at: c % (list.count + 1))
            } else if c % 5 == 2 {
                list.remove(at: c % list.count)
            } else if c % 5 == 3 {
                list[c % list.count] = value
            } else {
                guard c % list.count != b % list.count else { return false }
                list.move(from: c % list.count, to: b % list.count)
            }
            return true
        }

        /// Deletes objects; what refers to one is assigned by that.
        private func delete(_ objects: [Object], _ realm: Realm) -> [Event] {
            var events: [Event] = []
            for object in objects where !object.isInvalidated {
                let id = (object as! any QueryFuzzModel).id
                for thing in realm.objects(QueryFuzzThing.self) {
                    if thing.link?.id == id { events.append(thing.assigned("link")) }
                    if thing.owner?.id == id { events.append(thing.assigned("owner")) }
                    if thing.things.contains(where: { $0.id == id }) {
                        events.append(thing.assigned("things"))
                    }
                }
                for holder in realm.objects(QueryFuzzHolder.self) {
                    if holder.boss?.id == id { events.append(holder.assigned("boss")) }
                    if holder.things.contains(where: { $0.id == id }) {
                        events.append(holder.assigned("things"))
                    }
                    if holder.set.contains(where: { $0.id == id }) { events.append(holder.assigned("set")) }
                }
                realm.delete(object)
            }
            return events
        }
    }
}

extension QueryFuzzModel {
    fileprivate func assigned(_ name: String) -> QueryFuzz.Event {
        .assigned(id, QueryFuzz.index(name, Self.fuzzClass))
    }
}

extension QueryFuzz.Value {
    /// The value as JSON and careless code give it.
    fileprivate func loose(_ random: inout RandomSource) -> Any {
        switch self {
        case .null: random.null()
        case .int(let value): random.loose(value)
        case .double(let value): random.loose(value)
        case .text(let value): random.loose(value)
        case .bool(let value): random.loose(value)
        case .date(let value): random.loose(value)
        case .object: fatalError("objects are not given")
        }
    }
}
