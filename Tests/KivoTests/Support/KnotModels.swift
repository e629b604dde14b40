import Foundation
import Kivo

/// An object with two links to its own kind, for paths of every shape.
class Knot: Object {
    @Persisted var value = 0
    @Persisted var label: String?
    @Persisted var child: Knot?
    @Persisted var other: Knot?
    @Persisted var list: List<Knot>
    @Persisted(originProperty: "child") var parents: LinkingObjects<Knot>

    /// A knot with a child, which has a child, and so on; the values count up.
    static func chain(_ values: Int...) -> Knot {
        var first: Knot?
        for value in values.reversed() {
            let knot = Knot()
            knot.value = value
            knot.child = first
            first = knot
        }
        return first ?? Knot()
    }
}

/// A class whose key depends on others by name.
class Sum: Object {
    @Persisted var first = 0
    @Persisted var second = 0
    @Persisted var next: Sum?
    @Persisted var parts: List<Sum>

    /// Depends on both parts.
    var total: Int { first + second }
    /// Depends on a derived property.
    var double: Int { total * 2 }
    /// Depends on two properties that are derived from the same ones.
    var mixture: Int { total + double }
    /// Through a link.
    var nextTotal: Int { next?.total ?? -1 }
    /// Depends on a collection.
    var partCount: Int { parts.count }
    /// Two properties that depend on each other.
    var yin: Int { first }
    var yang: Int { second }
    /// Down a chain of links that may be a ring.
    var depth: Int { first + (next?.first ?? 0) }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "total": ["first", "second"]
        case "double": ["total"]
        case "mixture": ["total", "double"]
        case "nextTotal": ["next.total"]
        case "partCount": ["parts"]
        case "yin": ["yang", "first"]
        case "yang": ["yin", "second"]
        case "depth": ["first", "next.depth"]
        default: super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    override class func computedProperties() -> [String: AnyKeyPath] {
        [
            "total": \Sum.total, "double": \Sum.double, "mixture": \Sum.mixture, "nextTotal": \Sum.nextTotal,
            "partCount": \Sum.partCount, "yin": \Sum.yin, "yang": \Sum.yang, "depth": \Sum.depth,
        ]
    }
}

/// A class whose keys depend on others by typed key path.
class Area: Object {
    @Persisted var width = 1
    @Persisted var height = 1
    @Persisted var inner: Area?

    var size: Int { width * height }
    var half: Int { size / 2 }
    var innerSize: Int { inner?.size ?? 0 }
    var doubleInnerWidth: Int { (inner?.width ?? 0) * 2 }
    var doubleWidth: Int { width * 2 }
    var undeclared: Int { width + height }
}

extension Area: KeyValueObservingCustomization {
    static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
        switch key {
        case \Area.size: [\Area.width, \Area.height]
        case \Area.half: [\Area.size]
        case \Area.innerSize: [\Area.inner?.width, \Area.inner?.height]
        case \Area.doubleInnerWidth: [\Area.inner?.width]
        case \Area.doubleWidth: [\Area.width]
        default: []
        }
    }

    static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { true }
}

/// A class whose keys depend on what a test declares at run time.
class Declared: Object {
    @Persisted var first = 0
    @Persisted var second = 0

    var sum: Int { first + second }

    override class func computedProperties() -> [String: AnyKeyPath] { ["sum": \Declared.sum] }
}

class DerivedDeclared: Declared {
    @Persisted var third = 0
}
