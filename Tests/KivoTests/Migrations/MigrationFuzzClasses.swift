import Foundation
import Kivo

/// Two classes, `Node` and `Leaf`, in many shapes. Stored names are those of the classes that each is.
enum MigrationFuzzClasses {
    class Node0: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var a = 0
        @Persisted var s = ""
        override class func _realmObjectName() -> String? { "Node" }
    }

    class Node1: Object {
        @Persisted var s: String?
        @Persisted var link: Node1?
        @Persisted(primaryKey: true) var id = 0
        @Persisted var a: Int?
        @Persisted var l: List<Int>
        @Persisted var leaf: Leaf0?
        override class func _realmObjectName() -> String? { "Node" }
    }

    class Node2: Object {
        @Persisted var l: List<Int?>
        @Persisted var leaves: List<Leaf1>
        @Persisted(primaryKey: true) var id = 0
        @Persisted(indexed: true) var b = 0
        @Persisted var link: Node2?
        @Persisted var links: List<Node2>
        @Persisted(originProperty: "link") var linked: LinkingObjects<Node2>
        @Persisted(indexed: true) var s = ""
        override class func _realmObjectName() -> String? { "Node" }
    }

    class Node3: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var a = ""
        @Persisted var leaf: Leaf1?
        @Persisted var m: Map<String, Int>
        @Persisted var links: List<Node3>
        @Persisted var any: AnyRealmValue
        @Persisted var b: Int?
        override class func _realmObjectName() -> String? { "Node" }
    }

    class Node4: Object {
        @Persisted var any: AnyRealmValue
        @Persisted var m: Map<String, Int?>
        @Persisted var u: MutableSet<String>
        @Persisted var s = ""
        @Persisted(primaryKey: true) var id = 0
        @Persisted var leaves: List<Leaf0>
        @Persisted var t: String?
        @Persisted var a = 0
        override class func _realmObjectName() -> String? { "Node" }
    }

    class Node5: Object {
        @Persisted var u: MutableSet<String?>
        @Persisted var l: List<Int>
        @Persisted(primaryKey: true) var id = 0
        @Persisted var c = 0
        @Persisted var d = 0.0
        @Persisted var e = Data()
        @Persisted var f: UUID?
        @Persisted var g = false
        @Persisted var h = 0
        @Persisted var i = 0
        @Persisted var j = 0
        @Persisted var k = 0
        @Persisted var n = 0
        @Persisted var o = 0
        @Persisted var p = 0
        @Persisted var q = 0
        @Persisted var s: String?
        @Persisted var t = ""
        @Persisted(indexed: true) var a: Int?
        @Persisted var link: Node5?
        override class func _realmObjectName() -> String? { "Node" }
    }

    class Leaf0: EmbeddedObject {
        @Persisted var x = 0
        override class func _realmObjectName() -> String? { "Leaf" }
    }

    class Leaf1: EmbeddedObject {
        @Persisted var y: String?
        @Persisted var x: Int?
        override class func _realmObjectName() -> String? { "Leaf" }
    }

    /// The classes of a realm of each version.
    static let shapes: [[ObjectBase.Type]] = [
        [Node0.self], [Node1.self, Leaf0.self], [Node2.self, Leaf1.self], [Node3.self, Leaf1.self],
        [Node4.self, Leaf0.self], [Node5.self],
    ]
}
