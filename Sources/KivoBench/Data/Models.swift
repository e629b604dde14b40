import Kivo

/// A row of the tables that most figures are about.
final class Item: Object {
    @Persisted var value: Int
    @Persisted var name: String
    @Persisted var score: Double
}

/// A row with a value of any type.
final class AnyItem: Object {
    @Persisted var value: AnyRealmValue
}

/// A view of an item.
final class ItemProjection: Projection<Item> {
    @Projected(\Item.value) var value
    @Projected(\Item.name) var name
}

/// The owner of lists.
final class Holder: Object {
    @Persisted var items: List<Item>
    @Persisted var numbers: List<Int>
    @Persisted var link: Item?
}

/// A row that is found by its key.
final class Keyed: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var value: Int
}

/// One of many objects that link to the same one.
final class Spoke: Object {
    @Persisted var hub: Item?
}

/// The owner of a few of them.
final class Wheel: Object {
    @Persisted var spokes: List<Spoke>
}

/// An element from which three links lead to an item.
final class DeepElement: Object {
    @Persisted var first: DeepFirst?
}

/// One link behind an element.
final class DeepFirst: Object {
    @Persisted var second: DeepSecond?
}

/// Two links behind an element.
final class DeepSecond: Object {
    @Persisted var third: Item?
}

/// The owner of such elements.
final class DeepHolder: Object {
    @Persisted var elements: List<DeepElement>
}

/// A row of nine columns.
final class Ninefold: Object {
    @Persisted var a: Int
    @Persisted var b: Int
    @Persisted var c: Int
    @Persisted var d: Double
    @Persisted var e: Double
    @Persisted var f: Bool
    @Persisted var g: Int?
    @Persisted var name: String
    @Persisted var note: String?
}

/// What `floor.get` and `floor.set` are measured on: no less can be done for a property of an instance.
final class Plain {
    var value = 0
}

// The floors and the rows compared with them go through calls of the same shape, so that the call is in both.

@inline(never)
func read(_ plain: Plain) -> Int { plain.value }

@inline(never)
func write(_ plain: Plain, _ value: Int) { plain.value = value }

@inline(never)
func read(_ item: Item) -> Int { item.value }

@inline(never)
func readChecked(_ item: Item) -> Int {
    item._checkRead()
    return item.value
}

@inline(never)
func read(_ projection: ItemProjection) -> Int { projection.value }

@inline(never)
func readAny(_ item: AnyItem) -> Int { item.value.intValue ?? 0 }

@inline(never)
func readName(_ item: Item) -> Int { item.name.utf8.count }

@inline(never)
func write(_ item: Item, _ value: Int) { item.value = value }
