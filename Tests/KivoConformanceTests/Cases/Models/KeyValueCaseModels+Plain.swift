import Foundation
import Kivo

/// Models of ordinary properties, which no realm stores.
extension KeyValueCaseModels {
    /// `Obj` as an ordinary class.
    final class PlainObj: Object, KeyValueCaseModel {
        @Ignored var flag = false
        @Ignored var number16: Int16 = 1
        @Ignored var number32: Int32 = 2
        @Ignored var number64: Int64 = 3
        @Ignored var string: String? = ""
        @Ignored var binary: Data? = Data()
        @Ignored var date: Date? = Date(timeIntervalSince1970: 0)
        @Ignored var objectId: ObjectId?
        @Ignored var decimal: Decimal128?
        @Ignored var uuid: UUID?
        @Ignored var any: AnyHashable?
        @Ignored var name = ""
        @Ignored var link: PlainObj?
        @Ignored var obj: PlainObj?
        @Ignored var ints: [Int] = []
        @Ignored var objects: [PlainObj] = []
        @Ignored var array: [PlainObj] = []
        @Ignored var set: Set<PlainObj> = []
        @Ignored var intSet: Set<Int> = []
        @Ignored var ignored = 0

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("flag", \PlainObj.flag), .init("number16", \PlainObj.number16),
                .init("number32", \PlainObj.number32), .init("number64", \PlainObj.number64),
                .init("string", \PlainObj.string), .init("binary", \PlainObj.binary),
                .init("date", \PlainObj.date), .init("objectId", \PlainObj.objectId),
                .init("decimal", \PlainObj.decimal), .init("uuid", \PlainObj.uuid),
                .init("any", \PlainObj.any), .init("name", \PlainObj.name), .init("link", \PlainObj.link),
                .init("obj", \PlainObj.obj),
                .init("ints", \PlainObj.ints), .init("objects", \PlainObj.objects),
                .init("array", \PlainObj.array), .init("set", \PlainObj.set),
                .init("intSet", \PlainObj.intSet), .init("ignored", \PlainObj.ignored),
            ]
        }
    }

    /// A container of values by key, each of which can be observed.
    final class Table: Object, KeyValueCaseModel {
        private var entries: [String: Any] = [:]

        static var caseProperties: [KeyValueCaseProperty] { [] }

        static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Table {
            if let path = side.path(value) { return try side.object(path, Table.self) }
            guard case .object(let members) = value else { throw misfit(value) }
            let table = Table()
            for (key, member) in members { table.entries[key] = try entry(member, side) }
            return table
        }

        /// A member is an object, or of a kind that says so itself.
        private static func entry(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Any? {
            try side.any(value)
        }

        override func value(forUndefinedKey key: String) -> Any? { entries[key] }

        override func setValue(_ value: Any?, forUndefinedKey key: String) {
            willChangeValue(forKey: key)
            entries[key] = value
            didChangeValue(forKey: key)
        }
    }

    /// The object that most cases of ordinary classes are about.
    final class Item: Object, KeyValueCaseCounter {
        @Ignored var title: String?
        @Ignored var count = 0
        @Ignored var flag = false
        @Ignored var point = KeyValueCasePoint()
        @Ignored var child: Item?
        @Ignored var table: Table?
        @Ignored var trigger1: AnyHashable?
        @Ignored var trigger2: AnyHashable?
        @Ignored private(set) var stored = 0
        @Ignored var hidden: AnyHashable?
        @Ignored var manualCount = 0
        @Ignored var loopA: AnyHashable?
        @Ignored var loopB: AnyHashable?
        @Ignored var outer: AnyHashable?
        @Ignored var inner: AnyHashable?
        @Ignored var k1: AnyHashable?
        @Ignored var k2: AnyHashable?
        @Ignored var k3: AnyHashable?

        var decorated: String? { title.map { "!!!\($0)!!!" } }
        var twice: String? { decorated.map { "---\($0)---" } }
        var both: Bool { trigger1 != nil && trigger2 != nil }
        var childBoth: Bool { child?.both ?? false }
        var childAlias: Item? { child }
        var tableEntry: AnyHashable? { table?.value(forKey: "sub") as? AnyHashable }

        func bumpManualCount() {
            willChangeValue(forKey: "manualCount")
            manualCount += 1
            didChangeValue(forKey: "manualCount")
        }

        override class func computedProperties() -> [String: AnyKeyPath] {
            [
                "decorated": \Item.decorated, "twice": \Item.twice, "both": \Item.both,
                "childBoth": \Item.childBoth, "childAlias": \Item.childAlias, "tableEntry": \Item.tableEntry,
            ]
        }

        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            switch key {
            case "decorated": ["title"]
            case "twice": ["decorated"]
            case "both": ["trigger1", "trigger2"]
            case "childBoth": ["child.trigger1", "child.trigger2"]
            case "childAlias": ["child"]
            case "tableEntry": ["table.sub"]
            case "loopA": ["loopB"]
            case "loopB": ["loopA"]
            default: super.keyPathsForValuesAffectingValue(forKey: key)
            }
        }

        override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
            key != "hidden" && key != "manualCount" && super.automaticallyNotifiesObservers(forKey: key)
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("title", \Item.title), .init("count", \Item.count), .init("flag", \Item.flag),
                .init("point", \Item.point), .init("child", \Item.child), .init("table", \Item.table),
                .init("trigger1", \Item.trigger1), .init("trigger2", \Item.trigger2),
                .init("stored", reading: \Item.stored), .init("hidden", \Item.hidden),
                .init("manualCount", \Item.manualCount),
                .init("loopA", \Item.loopA), .init("loopB", \Item.loopB), .init("outer", \Item.outer),
                .init("inner", \Item.inner), .init("k1", \Item.k1), .init("k2", \Item.k2),
                .init("k3", \Item.k3), .init("decorated", reading: \Item.decorated),
                .init("twice", reading: \Item.twice), .init("both", reading: \Item.both),
                .init("childBoth", reading: \Item.childBoth), .init("childAlias", reading: \Item.childAlias),
                .init("tableEntry", reading: \Item.tableEntry),
            ]
        }
    }

    /// Collections of ordinary classes, changed in different ways.
    final class Box: Object, KeyValueCaseModel {
        @Ignored var bareList = NSMutableArray()
        @Ignored var plainList: [AnyHashable] = []
        @Ignored var assignList: [AnyHashable] = []
        @Ignored var manualList: [AnyHashable] = []
        @Ignored var plainSet: Set<AnyHashable> = []
        @Ignored var manualSet: Set<AnyHashable> = []
        @Ignored var proxySet: Set<AnyHashable> = []
        @Ignored var assignOnlySet: Set<AnyHashable>?

        // Only methods, and readers by name, have access to what has methods of its own.
        private var storedHelperList: [AnyHashable] = []
        private var storedHelperSet = NSMutableSet()

        var helperList: [AnyHashable] {
            get { storedHelperList }
            set { storedHelperList = newValue }
        }
        var helperSet: NSMutableSet {
            get { storedHelperSet }
            set { storedHelperSet = newValue }
        }

        override class func computedProperties() -> [String: AnyKeyPath] {
            ["helperList": \Box.helperList, "helperSet": \Box.helperSet]
        }

        override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
            !["manualList", "manualSet"].contains(key)
                && super.automaticallyNotifiesObservers(forKey: key)
        }

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("bareList", \Box.bareList), .init("plainList", \Box.plainList),
                .init("assignList", \Box.assignList), .init("helperList", announcing: \Box.helperList),
                .init("manualList", \Box.manualList), .init("plainSet", \Box.plainSet),
                .init("helperSet", announcing: \Box.helperSet), .init("manualSet", \Box.manualSet),
                .init("proxySet", \Box.proxySet), .init("assignOnlySet", \Box.assignOnlySet),
            ]
        }
    }
}
