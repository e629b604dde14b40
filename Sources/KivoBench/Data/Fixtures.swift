import Foundation
import Kivo

/// The data that rows are measured on, made when first asked for, shared by the rows that leave its shape alone.
final class Fixtures {
    /// What the sizes of the table are divided by: 1, or 10 for a quick run.
    let scale: Int
    private var items: [Int: Store] = [:]
    private var objectLists: [Int: Store] = [:]
    private var numberLists: [Int: Store] = [:]
    private var keyed: [Int: Store] = [:]
    private var names: [String] = []
    private var identifiers = 0
    private var directory: URL?
    /// What `floor.random` walks through; it takes a moment to make.
    private(set) lazy var randomWalk = RandomWalk()
    private var madeResultListeners: ResultListeners?

    init(scale: Int) { self.scale = scale }

    /// A size of the table in this run.
    func size(_ full: Int) -> Int { max(1, full / scale) }

    /// The names of the first items, made beforehand where making them is not what is measured.
    func itemNames(_ full: Int) -> [String] {
        while names.count < size(full) { names.append(ItemData.name(names.count)) }
        return names
    }

    /// A realm with that many items.
    func items(_ full: Int) throws -> Store {
        try cached(\.items, full) { store, count in
            try store.realm.addItems(count, name: ItemData.name)
        }
    }

    /// A realm with one holder, whose `items` are that many.
    func objectList(_ full: Int) throws -> Store {
        try cached(\.objectLists, full) { store, count in
            try store.realm.addItems(count, name: ItemData.name)
            try store.realm.write {
                let holder = store.realm.create(Holder.self)
                holder.items.append(objectsIn: store.realm.objects(Item.self))
            }
        }
    }

    /// A realm with one holder, whose `numbers` are that many.
    func numberList(_ full: Int) throws -> Store {
        try cached(\.numberLists, full) { store, count in
            try store.realm.write {
                let holder = store.realm.create(Holder.self)
                holder.numbers.append(objectsIn: 0..<count)
            }
        }
    }

    /// A realm with that many objects that have a primary key.
    func keyed(_ full: Int) throws -> Store {
        try cached(\.keyed, full) { store, count in
            try store.realm.write {
                for index in 0..<count {
                    let object = Keyed()
                    object.key = ItemData.key(index)
                    object.value = ItemData.value(index)
                    store.realm.add(object)
                }
            }
        }
    }

    /// Many listeners to results, on a realm of their own.
    func resultListeners() throws -> ResultListeners {
        if let madeResultListeners { return madeResultListeners }
        let made = try ResultListeners(self)
        madeResultListeners = made
        return made
    }

    /// An empty realm that nobody else uses.
    func emptyStore() throws -> Store {
        identifiers += 1
        return try Store(
            Realm.Configuration(
                inMemoryIdentifier: "kivo-bench-\(identifiers)",
                objectTypes: [
                    Item.self, Holder.self, Keyed.self, Spoke.self, Wheel.self, DeepElement.self,
                    DeepFirst.self,
                    DeepSecond.self, DeepHolder.self,
                ]))
    }

    /// The configuration of a file that does not exist yet, in a folder of its own.
    func fileConfiguration() throws -> Realm.Configuration {
        identifiers += 1
        let folder = try filesDirectory().appendingPathComponent("\(identifiers)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return Realm.Configuration(
            fileURL: folder.appendingPathComponent("bench.realm"), objectTypes: [Item.self, Holder.self])
    }

    /// Where all files of this run go.
    func filesDirectory() throws -> URL {
        if let directory { return directory }
        let made = FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        directory = made
        return made
    }

    /// Removes everything that this run put into files.
    func removeFiles() {
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
    /// `create.add`, and what fills most fixtures: that many items in one write.
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
}
