import Foundation
import Kivo

/// The data that rows are measured on. It is created on first access, and shared by the rows that do not change its shape.
final class Fixtures {
    /// The divisor of the table's sizes: 1, or 10 for a quick run.
    let scale: Int
    private var items: [Int: Store] = [:]
    private var objectLists: [Int: Store] = [:]
    private var numberLists: [Int: Store] = [:]
    private var keyed = [[Int: Store]](repeating: [:], count: ItemData.KeyOrder.allCases.count)
    private var spokes: [Int: Store] = [:]
    private var owners: [Int: Store] = [:]
    private var names: [String] = []
    private var identifiers = 0
    private var directory: URL?
    /// The walk of `floor.random`, which takes a moment to create.
    private(set) lazy var randomWalk = RandomWalk()
    private var madeResultListeners: ResultListeners?
    private var startedEtcd: EtcdServer?

    init(scale: Int) { self.scale = scale }

    /// Returns a size of the table in this run.
    func size(_ full: Int) -> Int { max(1, full / scale) }

    /// Returns the names of the first items. They are created in advance where their creation is not measured.
    func itemNames(_ full: Int) -> [String] {
        while names.count < size(full) { names.append(ItemData.name(names.count)) }
        return names
    }

    /// Returns a realm with that many items.
    func items(_ full: Int) throws -> Store {
        try cached(\.items, full) { store, count in
            try store.realm.addItems(count, name: ItemData.name)
        }
    }

    /// Returns a realm with one holder that has that many `items`.
    func objectList(_ full: Int) throws -> Store {
        try cached(\.objectLists, full) { store, count in
            try store.realm.addItems(count, name: ItemData.name)
            try store.realm.write {
                let holder = store.realm.create(Holder.self)
                holder.items.append(objectsIn: store.realm.objects(Item.self))
            }
        }
    }

    /// Returns a realm with one holder that has that many `numbers`.
    func numberList(_ full: Int) throws -> Store {
        try cached(\.numberLists, full) { store, count in
            try store.realm.write {
                let holder = store.realm.create(Holder.self)
                holder.numbers.append(objectsIn: 0..<count)
            }
        }
    }

    /// Returns a realm with that many objects that have a primary key.
    func keyed(_ full: Int, _ order: ItemData.KeyOrder) throws -> Store {
        try cached(\.keyed[order.rawValue], full) { store, count in
            try store.realm.write {
                for index in 0..<count {
                    let object = Keyed()
                    object.key = order.key(index)
                    object.value = ItemData.value(index)
                    store.realm.add(object)
                }
            }
        }
    }

    /// Returns a realm with that many objects whose link is nil.
    func looseSpokes(_ full: Int) throws -> Store {
        try cached(\.spokes, full) { store, count in
            try store.realm.write {
                for _ in 0..<count { store.realm.create(Spoke.self) }
            }
        }
    }

    /// Returns a realm with that many holders, each with four numbers, two items and a link, and with as many items.
    func owners(_ full: Int) throws -> Store {
        try cached(\.owners, full) { store, count in
            try store.realm.addItems(count, name: ItemData.name)
            let items = Array(store.realm.objects(Item.self))
            try store.realm.write {
                for index in 0..<count {
                    let holder = store.realm.create(Holder.self)
                    holder.numbers.append(objectsIn: ItemData.numbers(index))
                    holder.items.append(
                        objectsIn: (0..<2).map { items[ItemData.linked(index + $0, count)] })
                    if index % 8 != 0 { holder.link = items[ItemData.linked(index, count)] }
                }
            }
        }
    }

    /// Returns many listeners to results, in a realm of their own.
    func resultListeners() throws -> ResultListeners {
        if let madeResultListeners { return madeResultListeners }
        let made = try ResultListeners(self)
        madeResultListeners = made
        return made
    }

    /// Returns a member of etcd, which runs until the files are removed.
    func etcd() throws -> EtcdServer {
        if let startedEtcd { return startedEtcd }
        let started = try EtcdServer(filesDirectory().appendingPathComponent("etcd"))
        startedEtcd = started
        return started
    }

    /// Returns an empty realm that no other row uses.
    func emptyStore() throws -> Store {
        identifiers += 1
        return try Store(
            Realm.Configuration(
                inMemoryIdentifier: "kivo-bench-\(identifiers)",
                objectTypes: [
                    Item.self, Holder.self, Keyed.self, Account.self, Spoke.self, Wheel.self,
                    DeepElement.self, DeepFirst.self, DeepSecond.self, DeepHolder.self, CollectionHolder.self,
                    Article.self, ArticlePart.self,
                ]))
    }

    /// Returns the configuration of a file that does not exist yet, in its own folder.
    func fileConfiguration(
        _ objectTypes: [ObjectBase.Type] = [Item.self, Holder.self]
    ) throws -> Realm.Configuration {
        identifiers += 1
        let folder = try filesDirectory().appendingPathComponent("\(identifiers)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return Realm.Configuration(
            fileURL: folder.appendingPathComponent("bench.realm"),
            objectTypes: objectTypes)
    }

    /// Returns the folder of all files of this run.
    func filesDirectory() throws -> URL {
        if let directory { return directory }
        let made = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        directory = made
        return made
    }

    /// Removes all files of this run.
    func removeFiles() {
        startedEtcd?.end()
        if let directory { try? FileManager.default.removeItem(at: directory) }
        directory = nil
    }

    private func cached(
        _ cache: ReferenceWritableKeyPath<Fixtures, [Int: Store]>, _ full: Int,
        fill: (Store, Int) throws -> Void
    ) throws -> Store {
        let count = size(full)
        if let store = self[keyPath: cache][count] { return store }
        let store = try emptyStore()
        try fill(store, count)
        self[keyPath: cache][count] = store
        return store
    }
}

extension Realm {
    /// Adds that many items in one write. `create.add` measures it, and most fixtures use it.
    func addItems(_ count: Int, name: (Int) -> String) throws {
        try write {
            for index in 0..<count {
                let item = Item()
                item.value = ItemData.value(index)
                item.name = name(index)
                item.score = ItemData.score(index)
                add(item)
            }
        }
    }

    /// Adds that many records in one write. `names` are created in advance where their creation is not measured.
    func addRecords(_ count: Int, names: [String]? = nil) throws {
        try write {
            for index in 0..<count {
                let record = Record()
                record.key = index
                record.value = ItemData.value(index)
                record.score = ItemData.score(index)
                record.isMarked = index % 3 == 0
                record.name = names?[index] ?? ItemData.name(index)
                record.date = Date(timeIntervalSinceReferenceDate: Double(index))
                add(record)
            }
        }
    }
}
