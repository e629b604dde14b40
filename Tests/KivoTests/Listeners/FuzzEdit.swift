import Kivo

/// A class of the collection fuzz test: a value to filter and sort by, and a link whose target's value is shown too.
class FuzzItem: Object {
    @Persisted var value = 0
    @Persisted var link: FuzzItem?
    @Persisted(originProperty: "link") var linkedBy: LinkingObjects<FuzzItem>
}

/// The owner of the lists of the fuzz test.
class FuzzHolder: Object {
    @Persisted var items: List<FuzzItem>
    @Persisted var numbers: List<Int>
    @Persisted var itemSet: MutableSet<FuzzItem>
}

/// One random change, which can be made in any realm: positions are taken modulo the counts that it finds.
enum FuzzEdit: Sendable {
    case add(Int)
    case delete(Int)
    case set(Int, Int)
    case link(Int, Int)
    case unlink(Int)
    case listInsert(Int, Int)
    case listRemove(Int)
    case listReplace(Int, Int)
    case listMove(Int, Int)
    case listSwap(Int, Int)
    case listClear
    case numberInsert(Int, Int)
    case numberRemove(Int)
    case numberReplace(Int, Int)
    case numberMove(Int, Int)
    case setInsert(Int)
    case setRemove(Int)
    case deleteFiltered
    /// An edit by values as JSON and careless code give them; the number is a seed.
    indirect case loosely(FuzzEdit, UInt64)

    static func random(_ random: inout RandomSource) -> FuzzEdit {
        let edit = plain(&random)
        return random.chance(15) ? .loosely(edit, random.next()) : edit
    }

    private static func plain(_ random: inout RandomSource) -> FuzzEdit {
        let (a, b) = (random.below(1000), random.below(1000))
        switch random.below(40) {
        case 0..<7: return .add(a % 100)
        case 7..<11: return .delete(a)
        case 11..<17: return .set(a, b % 100)
        case 17..<20: return .link(a, b)
        case 20: return .unlink(a)
        case 21..<25: return .listInsert(a, b)
        case 25..<27: return .listRemove(a)
        case 27: return .listReplace(a, b)
        case 28, 29: return .listMove(a, b)
        case 30: return .listSwap(a, b)
        case 31: return random.chance(20) ? .listClear : .listMove(a, b)
        case 32, 33: return .numberInsert(a, b % 50)
        case 34: return .numberRemove(a)
        case 35: return .numberReplace(a, b % 50)
        case 36: return .numberMove(a, b)
        case 37: return .setInsert(a)
        case 38: return .setRemove(a)
        default: return random.chance(10) ? .deleteFiltered : .add(a % 100)
        }
    }

    func make(in realm: Realm) {
        let items = realm.objects(FuzzItem.self)
        guard let holder = realm.objects(FuzzHolder.self).first else { return }
        let (list, numbers) = (holder.items, holder.numbers)
        switch self {
        case .add(let value): realm.create(FuzzItem.self, value: ["value": value])
        case .delete(let a): if !items.isEmpty { realm.delete(items[a % items.count]) }
        case .set(let a, let value): if !items.isEmpty { items[a % items.count].value = value }
        case .link(let a, let b):
            if !items.isEmpty { items[a % items.count].link = items[b % items.count] }
        case .unlink(let a): if !items.isEmpty { items[a % items.count].link = nil }
        case .listInsert(let a, let b):
            if !items.isEmpty { list.insert(items[a % items.count], at: b % (list.count + 1)) }
        case .listRemove(let a): if !list.isEmpty { list.remove(at: a % list.count) }
        case .listReplace(let a, let b):
            if !list.isEmpty { list[a % list.count] = items[b % items.count] }
        case .listMove(let a, let b):
            if !list.isEmpty { list.move(from: a % list.count, to: b % list.count) }
        case .listSwap(let a, let b):
            if !list.isEmpty { list.swapAt(a % list.count, b % list.count) }
        case .listClear: list.removeAll()
        case .numberInsert(let a, let value): numbers.insert(value, at: a % (numbers.count + 1))
        case .numberRemove(let a): if !numbers.isEmpty { numbers.remove(at: a % numbers.count) }
        case .numberReplace(let a, let value):
            if !numbers.isEmpty { numbers[a % numbers.count] = value }
        case .numberMove(let a, let b):
            if !numbers.isEmpty { numbers.move(from: a % numbers.count, to: b % numbers.count) }
        case .setInsert(let a): if !items.isEmpty { holder.itemSet.insert(items[a % items.count]) }
        case .setRemove(let a): if !items.isEmpty { holder.itemSet.remove(items[a % items.count]) }
        case .deleteFiltered: realm.delete(items.where { $0.value < 50 })
        case .loosely(let edit, let seed):
            var random = RandomSource(seed: seed)
            if !edit.makeLoosely(in: realm, &random) { edit.make(in: realm) }
        }
    }
}
