import Kivo

/// One random change, which can be made in any realm: positions are taken modulo the counts that it finds.
enum SectionsEdit: Sendable {
    case add(Int, mark: Int)
    case delete(Int)
    case setValue(Int, Int)
    case setName(Int, Int)
    case setNote(Int, Int)
    case link(Int, Int)
    case unlink(Int)
    case listInsert(Int, Int)
    case listRemove(Int)
    case listMove(Int, Int)
    case listReplace(Int, Int)
    case toggleInSet(Int)
    case numberInsert(Int, Int)
    case numberRemove(Int)
    case numberReplace(Int, Int)
    case numberMove(Int, Int)
    case setAllValues(Int)
    case setAllNumbers(Int)
    case clearList
    /// An edit by values as JSON and careless code give them; the number is a seed.
    indirect case loosely(SectionsEdit, UInt64)

    static func random(_ random: inout RandomSource) -> SectionsEdit {
        let edit = plain(&random)
        return random.chance(15) ? .loosely(edit, random.next()) : edit
    }

    private static func plain(_ random: inout RandomSource) -> SectionsEdit {
        let (a, b) = (random.below(1000), random.below(30))
        switch random.below(46) {
        case 0..<6: return .add(b, mark: random.below(1 << 40))
        case 6..<10: return .delete(a)
        case 10..<16: return .setValue(a, b)
        case 16..<22: return .setName(a, b % 6)
        case 22..<25: return .setNote(a, b)
        case 25..<28: return .link(a, b % 4)
        case 28: return .unlink(a)
        case 29..<33: return .listInsert(a, b)
        case 33: return .listRemove(a)
        case 34: return .listMove(a, b)
        case 35: return .listReplace(a, b)
        case 36, 37: return .toggleInSet(a)
        case 38, 39, 40: return .numberInsert(a, b)
        case 41: return .numberRemove(a)
        case 42: return .numberReplace(a, b)
        case 43: return .numberMove(a, b)
        case 44: return random.chance(30) ? .setAllValues(b) : .setAllNumbers(b)
        default: return random.chance(10) ? .clearList : .numberInsert(a, b)
        }
    }

    func make(in realm: Realm) {
        let items = realm.objects(SectionsItem.self)
        guard let holder = realm.objects(SectionsHolder.self).first else { return }
        let (list, numbers) = (holder.items, holder.numbers)
        func item(_ index: Int) -> SectionsItem? { items.isEmpty ? nil : items[index % items.count] }
        switch self {
        case .add(let value, let mark):
            realm.create(
                SectionsItem.self, value: ["mark": mark, "value": value, "name": "\(value % 6)"])
        // The first one stays: what links to it is observed.
        case .delete(let a): if items.count > 1 { realm.delete(items[1 + a % (items.count - 1)]) }
        case .setValue(let a, let value): item(a)?.value = value
        case .setName(let a, let name): item(a)?.name = "\(name)"
        case .setNote(let a, let note): item(a)?.note = "\(note)"
        case .link(let a, let b): item(a)?.link = item(b)
        case .unlink(let a): item(a)?.link = nil
        case .listInsert(let a, let b): item(a).map { list.insert($0, at: b % (list.count + 1)) }
        case .listRemove(let a): if !list.isEmpty { list.remove(at: a % list.count) }
        case .listMove(let a, let b):
            if !list.isEmpty { list.move(from: a % list.count, to: b % list.count) }
        case .listReplace(let a, let b):
            if !list.isEmpty, let item = item(b) { list[a % list.count] = item }
        case .toggleInSet(let a):
            guard let item = item(a) else { return }
            if holder.itemSet.contains(item) {
                holder.itemSet.remove(item)
            } else {
                holder.itemSet.insert(item)
            }
        case .numberInsert(let a, let value):
            numbers.insert(value, at: a % (numbers.count + 1))
            holder.numberSet.insert(value)
        case .numberRemove(let a): if !numbers.isEmpty { numbers.remove(at: a % numbers.count) }
        case .numberReplace(let a, let value):
            if !numbers.isEmpty { numbers[a % numbers.count] = value }
        case .numberMove(let a, let b):
            if !numbers.isEmpty { numbers.move(from: a % numbers.count, to: b % numbers.count) }
        case .setAllValues(let b): for item in items { item.value = (item.value * 7 + b) % 30 }
        case .setAllNumbers(let b):
            for index in numbers.indices { numbers[index] = (numbers[index] * 7 + b) % 30 }
            holder.numberSet.removeAll()
        case .clearList: list.removeAll()
        case .loosely(let edit, let seed):
            var random = RandomSource(seed: seed)
            if !edit.makeLoosely(in: realm, &random) { edit.make(in: realm) }
        }
    }
}
