import Kivo

/// A class with every kind of property through which listeners are found.
class FoundNode: Object {
    @Persisted var value: Int
    @Persisted var weight: Double
    @Persisted var label: String
    @Persisted var child: FoundNode?
    @Persisted var friends: List<FoundNode>
    @Persisted var group: MutableSet<FoundNode>
    @Persisted var named: Map<String, FoundNode?>
    @Persisted var numbers: List<Int>
    @Persisted(originProperty: "child") var parents: LinkingObjects<FoundNode>
    @Persisted(originProperty: "friends") var befriended: LinkingObjects<FoundNode>
}

/// A class that refers to the other and is not referred to.
class FoundOwner: Object {
    @Persisted var value: Int
    @Persisted var node: FoundNode?
}
