import Foundation
import Kivo

/// A class with every way to have a key.
class Coded: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var partner: Coded?
    @Persisted var others: List<Coded>
    @Ignored var isSelected = false
    @Ignored var note: String?
    @Ignored var tags: [String] = []
    @Ignored var companion: Coded?
    /// Neither persisted nor named, so that it cannot be found by name.
    var hidden = 0

    var title: String { "\(name) (\(age))" }
    var twice: Int {
        get { age * 2 }
        set { age = newValue / 2 }
    }
    var motto: String? {
        get { note }
        set { note = newValue }
    }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "twice": ["age"]
        case "motto": ["note"]
        default: []
        }
    }

    override class func computedProperties() -> [String: AnyKeyPath] {
        ["title": \Coded.title, "twice": \Coded.twice, "motto": \Coded.motto]
    }
}

/// Gives a meaning to keys it does not have, and to nil where there is none.
class Lenient: Coded {
    var extras: [String: Any] = [:]
    var calls: [String] = []

    override func value(forUndefinedKey key: String) -> Any? {
        calls.append("get \(key)")
        return extras[key]
    }

    override func setValue(_ value: Any?, forUndefinedKey key: String) {
        calls.append("set \(key)")
        extras[key] = value
    }

    override func setNilValueForKey(_ key: String) {
        calls.append("nil \(key)")
        setValue(0, forKey: key)
    }
}

/// Answers for a key itself.
class Disguised: Coded {
    var assigned: [String] = []

    override func value(forKey key: String) -> Any? {
        key == "name" ? "a disguise" : super.value(forKey: key)
    }

    override func setValue(_ value: Any?, forKey key: String) {
        assigned.append(key)
        super.setValue(value, forKey: key)
    }
}

/// A class whose keys proxies stand for.
class Shelf: Object {
    @Persisted var name = ""
    @Persisted var next: Shelf?
    @Persisted var list: List<Int>
    @Persisted var words: List<String>
    @Persisted var gaps: List<Int?>
    @Persisted var dogs: List<Dog>
    @Persisted var set: MutableSet<Int>
    @Persisted var dogSet: MutableSet<Dog>
    @Ignored var array: [Int] = []
    @Ignored var maybeArray: [Int]?
    /// An array whose assignments are not told.
    @Ignored var silent: [Int] = []
    @Ignored var members: Set<Int> = []
    @Ignored var maybeMembers: Set<Int>?
    @Ignored var entries = NSMutableDictionary()
    // Collections that the class keeps itself, and that are changed where they are.
    @Ignored var ownList = List<Int>()
    @Ignored var maybeOwnList: List<Int>?
    @Ignored var ownSet = MutableSet<Int>()
    @Ignored var maybeOwnSet: MutableSet<Int>?
    @Ignored var live = NSMutableArray()
    @Ignored var maybeLive: NSMutableArray?
    @Ignored var liveSet = NSMutableSet()
    @Ignored var maybeLiveSet: NSMutableSet?
    private(set) var setterCalls = 0
    private var storedNumbers: [Int] = []
    private var storedLabels: Set<Int> = []
    private var storedAnnounced: [Int] = []

    /// An array behind a setter.
    var numbers: [Int] {
        get { storedNumbers }
        set {
            setterCalls += 1
            storedNumbers = newValue
        }
    }
    /// A set behind a setter.
    var labels: Set<Int> {
        get { storedLabels }
        set {
            setterCalls += 1
            storedLabels = newValue
        }
    }
    /// An array whose setter announces what it does.
    var announced: [Int] {
        get { storedAnnounced }
        set {
            willChangeValue(forKey: "announced")
            storedAnnounced = newValue
            didChangeValue(forKey: "announced")
        }
    }
    /// An array whose setter changes what the key depends on.
    var derived: [Int] {
        get { array }
        set { array = newValue }
    }
    /// A list that cannot be replaced.
    var shownList: List<Int> { ownList }
    /// An array that cannot be replaced.
    var shownLive: NSMutableArray { live }
    /// An array that cannot be set.
    var fixed: [Int] { [1, 2, 3] }
    /// An array whose setter forgets what it is given.
    var forgetful: [Int] {
        get { [] }
        set {}
    }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "derived" ? ["array"] : []
    }

    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { key != "silent" }

    override class func computedProperties() -> [String: AnyKeyPath] {
        [
            "numbers": \Shelf.numbers, "labels": \Shelf.labels, "announced": \Shelf.announced,
            "shownList": \Shelf.shownList, "shownLive": \Shelf.shownLive,
            "derived": \Shelf.derived, "fixed": \Shelf.fixed, "forgetful": \Shelf.forgetful,
        ]
    }
}
