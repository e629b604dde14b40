import Kivo

/// All schemas of the corpus that have Swift models. Classes of the same name live in different namespaces, because
/// the type's name is the class's name.
enum ConformanceModels {
    static let sets = [
        IntLists.models, ObjectLists.models, Objects.models, KeyedObjects.models, Links.models,
        ListQueries.models, KeyedItems.models, LinkedItems.models, Sets.models, Maps.models,
        Inverses.models, Graphs.models, Chains.models,
    ]
}

/// Family `list-int`.
enum IntLists {
    final class Owner: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var list: List<Int>
    }

    static let models = ModelSet(
        ClassAdapter<Owner>(.plain("id", \.id), .list("list", \.list)))
}

/// Family `list-object`.
enum ObjectLists {
    final class Owner: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var list: List<Item>
    }

    final class Item: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var value: Int
        @Persisted var name: String
    }

    static let models = ModelSet(
        ClassAdapter<Owner>(.plain("id", \.id), .list("list", \.list)),
        ClassAdapter<Item>(.plain("id", \.id), .plain("value", \.value), .plain("name", \.name)))
}

/// Family `object`.
enum Objects {
    final class Obj: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var a: Int
        @Persisted var b: String
        @Persisted var c: Double
        @Persisted var n: Int?
        @Persisted var link: Obj?
        @Persisted var list: List<Obj>
        @Persisted var ints: List<Int>
        @Persisted var tags: MutableSet<Int>
        @Persisted var map: Map<String, Int>
    }

    static let models = ModelSet(
        ClassAdapter<Obj>(
            .plain("id", \.id), .plain("a", \.a), .plain("b", \.b), .plain("c", \.c), .plain("n", \.n),
            .link("link", \.link), .list("list", \.list), .list("ints", \.ints), .set("tags", \.tags),
            .map("map", \.map)))
}

/// Family `object`, scenarios with a primary key.
enum KeyedObjects {
    final class Obj: Object, KeyedConformanceModel {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var a: Int
        @Persisted var b: String
    }

    static let models = ModelSet(
        ClassAdapter<Obj>(.primaryKey("id", \.id), .plain("a", \.a), .plain("b", \.b)))
}

/// Family `kvo`.
enum Links {
    final class Origin: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var a: Int
        @Persisted var b: String
        @Persisted var link: Target?
        @Persisted var list: List<Target>
        @Persisted var ints: List<Int>
        @Persisted var tags: MutableSet<Int>
        @Persisted var map: Map<String, Int>
    }

    final class Target: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var v1: Int
        @Persisted var v2: Int
        @Persisted var v3: Int
    }

    static let models = ModelSet(
        ClassAdapter<Origin>(
            .plain("id", \.id), .plain("a", \.a), .plain("b", \.b), .link("link", \.link),
            .list("list", \.list), .list("ints", \.ints), .set("tags", \.tags), .map("map", \.map)),
        ClassAdapter<Target>(.plain("id", \.id), .plain("v1", \.v1), .plain("v2", \.v2), .plain("v3", \.v3)))
}
