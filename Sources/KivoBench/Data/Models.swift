import Foundation
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

/// The owner of collections of each kind.
final class CollectionHolder: Object {
    @Persisted var words: Map<String, String>
    @Persisted var set: MutableSet<Int>
    @Persisted var strings: MutableSet<String>
    @Persisted var numbers: List<Int>
    @Persisted var items: List<Item>
}

/// An object that a server sends, with a key, nine other values and two lists.
final class Article: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var title: String
    @Persisted var summary: String
    @Persisted var author: String
    @Persisted var price: Double
    @Persisted var rating: Double?
    @Persisted var count: Int
    @Persisted var isActive: Bool
    @Persisted var date: Date
    @Persisted var note: String?
    @Persisted var tags: List<String>
    @Persisted var parts: List<ArticlePart>
}

/// A part of an article.
final class ArticlePart: EmbeddedObject {
    @Persisted var name: String
    @Persisted var amount: Int
}

/// A row that is looked up by its key.
final class Keyed: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var value: Int
}

/// A row with a key and four more fields.
final class Account: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var value: Int
    @Persisted var score: Double
    @Persisted var isMarked: Bool
    @Persisted var name: String
}

/// A row with a key and five more fields.
final class Record: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var value: Int
    @Persisted var score: Double
    @Persisted var isMarked: Bool
    @Persisted var name: String
    @Persisted var date: Date
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

/// A row of a hundred columns.
final class Hundredfold: Object {
    @Persisted var p0: Int
    @Persisted var p1: Int
    @Persisted var p2: Int
    @Persisted var p3: Int
    @Persisted var p4: String
    @Persisted var p5: Int
    @Persisted var p6: Int
    @Persisted var p7: Int
    @Persisted var p8: Int
    @Persisted var p9: String
    @Persisted var p10: Int
    @Persisted var p11: Int
    @Persisted var p12: Int
    @Persisted var p13: Int
    @Persisted var p14: String
    @Persisted var p15: Int
    @Persisted var p16: Int
    @Persisted var p17: Int
    @Persisted var p18: Int
    @Persisted var p19: String
    @Persisted var p20: Int
    @Persisted var p21: Int
    @Persisted var p22: Int
    @Persisted var p23: Int
    @Persisted var p24: String
    @Persisted var p25: Int
    @Persisted var p26: Int
    @Persisted var p27: Int
    @Persisted var p28: Int
    @Persisted var p29: String
    @Persisted var p30: Int
    @Persisted var p31: Int
    @Persisted var p32: Int
    @Persisted var p33: Int
    @Persisted var p34: String
    @Persisted var p35: Int
    @Persisted var p36: Int
    @Persisted var p37: Int
    @Persisted var p38: Int
    @Persisted var p39: String
    @Persisted var p40: Int
    @Persisted var p41: Int
    @Persisted var p42: Int
    @Persisted var p43: Int
    @Persisted var p44: String
    @Persisted var p45: Int
    @Persisted var p46: Int
    @Persisted var p47: Int
    @Persisted var p48: Int
    @Persisted var p49: String
    @Persisted var p50: Int
    @Persisted var p51: Int
    @Persisted var p52: Int
    @Persisted var p53: Int
    @Persisted var p54: String
    @Persisted var p55: Int
    @Persisted var p56: Int
    @Persisted var p57: Int
    @Persisted var p58: Int
    @Persisted var p59: String
    @Persisted var p60: Int
    @Persisted var p61: Int
    @Persisted var p62: Int
    @Persisted var p63: Int
    @Persisted var p64: String
    @Persisted var p65: Int
    @Persisted var p66: Int
    @Persisted var p67: Int
    @Persisted var p68: Int
    @Persisted var p69: String
    @Persisted var p70: Int
    @Persisted var p71: Int
    @Persisted var p72: Int
    @Persisted var p73: Int
    @Persisted var p74: String
    @Persisted var p75: Int
    @Persisted var p76: Int
    @Persisted var p77: Int
    @Persisted var p78: Int
    @Persisted var p79: String
    @Persisted var p80: Int
    @Persisted var p81: Int
    @Persisted var p82: Int
    @Persisted var p83: Int
    @Persisted var p84: String
    @Persisted var p85: Int
    @Persisted var p86: Int
    @Persisted var p87: Int
    @Persisted var p88: Int
    @Persisted var p89: String
    @Persisted var p90: Int
    @Persisted var p91: Int
    @Persisted var p92: Int
    @Persisted var p93: Int
    @Persisted var p94: String
    @Persisted var p95: Int
    @Persisted var p96: Int
    @Persisted var p97: Int
    @Persisted var p98: Int
    @Persisted var p99: String
}
