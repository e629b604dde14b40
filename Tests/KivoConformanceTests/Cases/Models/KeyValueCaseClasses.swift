import Foundation
import Kivo

/// A model of the cases that is not a model of Kivo.
protocol KeyValueCaseClass: KeyValueCaseModel, Hashable {}

extension KeyValueCaseClass {
    static func == (a: Self, b: Self) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The models of ordinary classes once more, as classes that are not models of Kivo.
enum KeyValueCaseClasses {
    /// `Obj` as an ordinary class.
    final class PlainObj: KeyValueCaseClass {
        @Observed var flag = false
        @Observed var number16: Int16 = 1
        @Observed var number32: Int32 = 2
        @Observed var number64: Int64 = 3
        @Observed var string: String? = ""
        @Observed var binary: Data? = Data()
        @Observed var date: Date? = Date(timeIntervalSince1970: 0)
        @Observed var objectId: ObjectId?
        @Observed var decimal: Decimal128?
        @Observed var uuid: UUID?
        @Observed var any: AnyHashable?
        @Observed var name = ""
        @Observed var link: PlainObj?
        @Observed var obj: PlainObj?
        @Observed var ints: [Int] = []
        @Observed var objects: [PlainObj] = []
        @Observed var array: [PlainObj] = []
        @Observed var set: Set<PlainObj> = []
        @Observed var intSet: Set<Int> = []
        @Observed var ignored = 0

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
    final class Table: KeyValueCaseClass {
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

        func value(forUndefinedKey key: String) -> Any? { entries[key] }

        func setValue(_ value: Any?, forUndefinedKey key: String) {
            willChangeValue(forKey: key)
            entries[key] = value
            didChangeValue(forKey: key)
        }
    }

    /// The object that most cases of ordinary classes are about.
    final class Item: KeyValueCaseClass, KeyValueCaseCounter {
        @Observed var title: String?
        @Observed var count = 0
        @Observed var flag = false
        @Observed var point = KeyValueCasePoint()
        @Observed var child: Item?
        @Observed var table: Table?
        @Observed var trigger1: AnyHashable?
        @Observed var trigger2: AnyHashable?
        @Observed private(set) var stored = 0
        @Observed var hidden: AnyHashable?
        @Observed var manualCount = 0
        @Observed var loopA: AnyHashable?
        @Observed var loopB: AnyHashable?
        @Observed var outer: AnyHashable?
        @Observed var inner: AnyHashable?
        @Observed var k1: AnyHashable?
        @Observed var k2: AnyHashable?
        @Observed var k3: AnyHashable?

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

        static func computedProperties() -> [String: AnyKeyPath] {
            [
                "decorated": \Item.decorated, "twice": \Item.twice, "both": \Item.both,
                "childBoth": \Item.childBoth, "childAlias": \Item.childAlias, "tableEntry": \Item.tableEntry,
            ]
        }

        static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            switch key {
            case "decorated": ["title"]
            case "twice": ["decorated"]
            case "both": ["trigger1", "trigger2"]
            case "childBoth": ["child.trigger1", "child.trigger2"]
            case "childAlias": ["child"]
            case "tableEntry": ["table.sub"]
            case "loopA": ["loopB"]
            case "loopB": ["loopA"]
            default: []
            }
        }

        static func automaticallyNotifiesObservers(forKey key: String) -> Bool {
            key != "hidden" && key != "manualCount"
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
    final class Box: KeyValueCaseClass {
        @Observed var bareList = NSMutableArray()
        @Observed var plainList: [AnyHashable] = []
        @Observed var assignList: [AnyHashable] = []
        @Observed var manualList: [AnyHashable] = []
        @Observed var plainSet: Set<AnyHashable> = []
        @Observed var manualSet: Set<AnyHashable> = []
        @Observed var proxySet: Set<AnyHashable> = []
        @Observed var assignOnlySet: Set<AnyHashable>?

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

        static func computedProperties() -> [String: AnyKeyPath] {
            ["helperList": \Box.helperList, "helperSet": \Box.helperSet]
        }

        static func automaticallyNotifiesObservers(forKey key: String) -> Bool {
            !["manualList", "manualSet"].contains(key)
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

    /// The scalars of the class with a property of each type.
    final class Sw: KeyValueCaseClass {
        @Observed var bool = false
        @Observed var int8: Int8 = 1
        @Observed var int16: Int16 = 2
        @Observed var int32: Int32 = 3
        @Observed var int64: Int64 = 4
        @Observed var float: Float = 5
        @Observed var double: Double = 6
        @Observed var string: String? = ""
        @Observed var binary: Data? = Data()
        @Observed var date: Date? = Date(timeIntervalSince1970: 0)
        @Observed var decimal: Decimal128?
        @Observed var objectId: ObjectId?
        @Observed var uuid: UUID?

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("bool", \Sw.bool), .init("int8", \Sw.int8), .init("int16", \Sw.int16),
                .init("int32", \Sw.int32), .init("int64", \Sw.int64), .init("float", \Sw.float),
                .init("double", \Sw.double), .init("string", \Sw.string), .init("binary", \Sw.binary),
                .init("date", \Sw.date), .init("decimal", \Sw.decimal), .init("objectId", \Sw.objectId),
                .init("uuid", \Sw.uuid),
            ]
        }
    }
}
