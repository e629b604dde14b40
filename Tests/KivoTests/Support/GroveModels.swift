import Foundation
import Kivo

enum GroveSeason: String, PersistableEnum { case spring, summer, autumn }

/// Collections of plain values of most types, to ask for some of them.
final class Grove: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var numbers: List<Int>
    @Persisted var gaps: List<Int?>
    @Persisted var small: List<Int8>
    @Persisted var weights: List<Double>
    @Persisted var words: List<String>
    @Persisted var maybeWords: List<String?>
    @Persisted var dates: List<Date>
    @Persisted var blobs: List<Data>
    @Persisted var flags: List<Bool>
    @Persisted var prices: List<Decimal128>
    @Persisted var ids: List<UUID>
    @Persisted var seasons: List<GroveSeason>
    @Persisted var numberSet: MutableSet<Int>
    @Persisted var wordSet: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var notes: Map<String, String?>
    @Persisted var trees: List<GroveTree>
    @Persisted var treesByName: Map<String, GroveTree?>
}

/// Numbers of all kinds, and links to more of them.
final class GroveTree: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var age = 0
    @Persisted var limit = 0
    @Persisted var maybe: Int?
    @Persisted var ring: Int8 = 0
    @Persisted var height = 0.0
    @Persisted var width: Double?
    @Persisted var girth: Float = 0
    @Persisted var price = Decimal128(0)
    @Persisted var text = ""
    @Persisted var parent: GroveTree?
    @Persisted var numbers: List<Int>
    @Persisted var scores: Map<String, Int>
    @Persisted(originProperty: "parent") var children: LinkingObjects<GroveTree>
}

/// Something of any type.
final class GroveFind: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var value: AnyRealmValue
    @Persisted var weight = 2
}
