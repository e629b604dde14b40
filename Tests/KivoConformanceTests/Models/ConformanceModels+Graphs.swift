import Kivo

/// Family `backlinks`.
enum Inverses {
    final class Origin: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var a: Int
        @Persisted var link: Target?
        @Persisted var list: List<Target>
    }

    final class Target: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var v: Int
        @Persisted(originProperty: "link") var fromLink: LinkingObjects<Origin>
        @Persisted(originProperty: "list") var fromList: LinkingObjects<Origin>
    }

    static let models = ModelSet(
        ClassAdapter<Origin>(
            .plain("id", \.id), .plain("a", \.a), .link("link", \.link), .list("list", \.list)),
        ClassAdapter<Target>(
            .plain("id", \.id), .plain("v", \.v), .backlinks("fromLink", from: "link", \.fromLink),
            .backlinks("fromList", from: "list", \.fromList)))
}

/// Family `keypath`.
enum Graphs {
    final class Owner: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var list: List<Root>
        @Persisted var set: MutableSet<Root>
        @Persisted var map: Map<String, Root?>
    }

    final class Root: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var a: Int
        @Persisted var b: String
        @Persisted var link: Node?
        @Persisted var list: List<Node>
        @Persisted var set: MutableSet<Node>
        @Persisted var map: Map<String, Node?>
    }

    final class Node: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var a: Int
        @Persisted var b: String
        @Persisted var link: Node?
        @Persisted var list: List<Node>
        @Persisted(originProperty: "link") var incoming: LinkingObjects<Node>
        @Persisted(originProperty: "link") var roots: LinkingObjects<Root>
    }

    static let models = ModelSet(
        ClassAdapter<Owner>(
            .plain("id", \.id), .list("list", \.list), .set("set", \.set), .map("map", \.map)),
        ClassAdapter<Root>(
            .plain("id", \.id), .plain("a", \.a), .plain("b", \.b), .link("link", \.link),
            .list("list", \.list), .set("set", \.set), .map("map", \.map)),
        ClassAdapter<Node>(
            .plain("id", \.id), .plain("a", \.a), .plain("b", \.b), .link("link", \.link),
            .list("list", \.list), .backlinks("incoming", from: "link", \.incoming),
            .backlinks("roots", from: "link", \.roots)))
}

/// Family `depth`.
enum Chains {
    final class Owner: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var list: List<Root>
        @Persisted var set: MutableSet<Root>
        @Persisted var map: Map<String, Root?>
    }

    final class Root: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var a: Int
        @Persisted var link: Node?
        @Persisted var list: List<Node>
        @Persisted var set: MutableSet<Node>
        @Persisted var map: Map<String, Node?>
    }

    final class Node: Object, ConformanceModel {
        @Persisted var id: Int
        @Persisted var a: Int
        @Persisted var link: Node?
        @Persisted var list: List<Node>
        @Persisted var set: MutableSet<Node>
        @Persisted var map: Map<String, Node?>
    }

    static let models = ModelSet(
        ClassAdapter<Owner>(
            .plain("id", \.id), .list("list", \.list), .set("set", \.set), .map("map", \.map)),
        ClassAdapter<Root>(
            .plain("id", \.id), .plain("a", \.a), .link("link", \.link), .list("list", \.list),
            .set("set", \.set), .map("map", \.map)),
        ClassAdapter<Node>(
            .plain("id", \.id), .plain("a", \.a), .link("link", \.link), .list("list", \.list),
            .set("set", \.set), .map("map", \.map)))
}
