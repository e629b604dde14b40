import Kivo

/// Family `results`, scenarios with a list as the source.
enum ListQueries {
    final class Owner: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var list: List<Item>
        @Persisted var ints: List<Int>
    }

    final class Item: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var value: Int
        @Persisted var name: String
    }

    static let models = ModelSet(
        ClassAdapter<Owner>(.plain("id", \.id), .list("list", \.list), .list("ints", \.ints)),
        ClassAdapter<Item>(.plain("id", \.id), .plain("value", \.value), .plain("name", \.name)))
}

/// Family `results`, scenarios with a primary key.
enum KeyedItems {
    final class Item: Object, KeyedConformanceModel {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var value: Int
        @Persisted var name: String
    }

    static let models = ModelSet(
        ClassAdapter<Item>(.primaryKey("id", \.id), .plain("value", \.value), .plain("name", \.name)))
}

/// Family `results`, scenarios with a condition over a link.
enum LinkedItems {
    final class Item: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var value: Int
        @Persisted var name: String
        @Persisted var link: Target?
    }

    final class Target: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var value: Int
    }

    static let models = ModelSet(
        ClassAdapter<Item>(
            .plain("id", \.id), .plain("value", \.value), .plain("name", \.name), .link("link", \.link)),
        ClassAdapter<Target>(.plain("id", \.id), .plain("value", \.value)))
}

/// Family `set`.
enum Sets {
    final class Owner: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var ints: MutableSet<Int>
        @Persisted var strs: MutableSet<String>
        @Persisted var objs: MutableSet<Item>
    }

    final class Item: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var value: Int
    }

    static let models = ModelSet(
        ClassAdapter<Owner>(
            .plain("id", \.id), .set("ints", \.ints), .set("strs", \.strs), .set("objs", \.objs)),
        ClassAdapter<Item>(.plain("id", \.id), .plain("value", \.value)))
}

/// Family `dictionary`.
enum Maps {
    final class Owner: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var ints: Map<String, Int>
        @Persisted var objs: Map<String, Item?>
    }

    final class Item: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var value: Int
    }

    static let models = ModelSet(
        ClassAdapter<Owner>(.plain("id", \.id), .map("ints", \.ints), .map("objs", \.objs)),
        ClassAdapter<Item>(.plain("id", \.id), .plain("value", \.value)))
}
