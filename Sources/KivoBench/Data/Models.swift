import Kivo

/// A row of the tables on which most figures are measured.
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

/// A row that is looked up by its key.
final class Keyed: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var value: Int
}

/// One of many objects that link to the same one.
final class Spoke: Object {
    @Persisted var hub: Item?
}

/// The owner of a few spokes.
final class Wheel: Object {
    @Persisted var spokes: List<Spoke>
}

/// An element that leads to an item over three links.
final class DeepElement: Object {
    @Persisted var first: DeepFirst?
}

/// The target of an element's link.
final class DeepFirst: Object {
    @Persisted var second: DeepSecond?
}

/// The target of the second link from an element.
final class DeepSecond: Object {
    @Persisted var third: Item?
}

/// The owner of deep elements.
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

/// The baseline object of `floor.get` and `floor.set`: no property of an instance can be accessed faster.
final class Plain {
    var value = 0
}

// The floors and the rows compared with them use calls of the same shape, so that both include the cost of the call.

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
