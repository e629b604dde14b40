import Foundation
import Kivo

/// The models that cases speak of.
enum KeyValueCaseModels {
    /// The object that most cases of the database are about.
    final class Obj: Object, KeyValueCaseRow {
        @Persisted(primaryKey: true) var pk = 0
        @Persisted var flag = false
        @Persisted var number16: Int16 = 1
        @Persisted var number32: Int32 = 2
        @Persisted var number64: Int64 = 3
        @Persisted var string: String? = ""
        @Persisted var binary: Data? = Data()
        @Persisted var date: Date? = Date(timeIntervalSince1970: 0)
        @Persisted var objectId: ObjectId?
        @Persisted var decimal: Decimal128?
        @Persisted var uuid: UUID?
        @Persisted var name = ""
        @Persisted var link: Obj?
        @Persisted var obj: Obj?
        @Persisted var ints: List<Int>
        @Persisted var optInts: List<Int?>
        @Persisted var objects: List<Obj>
        @Persisted var array: List<Obj>
        @Persisted var set: MutableSet<Obj>
        @Persisted var intSet: MutableSet<Int>
        @Persisted var dictionary: Map<String, Obj?>
        @Persisted var v1 = 0
        @Persisted var v2 = 0
        @Persisted var v3 = 0
        @Persisted var value = 0
        @Persisted var propA = 1
        @Persisted var optBool: Bool?
        @Persisted var optInt: Int?
        @Persisted var optFloat: Float?
        @Persisted var optDouble: Double?
        @Ignored var ignored = 0

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("pk", \Obj.pk), .init("flag", \Obj.flag), .init("number16", \Obj.number16),
                .init("number32", \Obj.number32), .init("number64", \Obj.number64),
                .init("string", \Obj.string), .init("binary", \Obj.binary), .init("date", \Obj.date),
                .init("objectId", \Obj.objectId), .init("decimal", \Obj.decimal), .init("uuid", \Obj.uuid),
                .init("name", \Obj.name), .init("link", \Obj.link), .init("obj", \Obj.obj),
                .init("ints", \Obj.ints), .init("optInts", \Obj.optInts), .init("objects", \Obj.objects),
                .init("array", \Obj.array), .init("set", \Obj.set), .init("intSet", \Obj.intSet),
                .init("dictionary", \Obj.dictionary), .init("v1", \Obj.v1), .init("v2", \Obj.v2),
                .init("v3", \Obj.v3), .init("value", \Obj.value), .init("propA", \Obj.propA),
                .init("optBool", \Obj.optBool), .init("optInt", \Obj.optInt),
                .init("optFloat", \Obj.optFloat), .init("optDouble", \Obj.optDouble),
                .init("ignored", \Obj.ignored), .init("isInvalidated", reading: \Obj.isInvalidated),
            ]
        }
    }

    /// The first object of a chain.
    final class Root: Object, KeyValueCaseRow {
        @Persisted(primaryKey: true) var pk = 0
        @Persisted var obj: Mid?
        @Persisted var array: List<Mid>
        @Persisted var set: MutableSet<Mid>
        @Persisted var dictionary: Map<String, Mid?>

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("pk", \Root.pk), .init("obj", \Root.obj), .init("array", \Root.array),
                .init("set", \Root.set), .init("dictionary", \Root.dictionary),
                .init("isInvalidated", reading: \Root.isInvalidated),
            ]
        }
    }

    final class Mid: Object, KeyValueCaseRow {
        @Persisted(primaryKey: true) var pk = 0
        @Persisted var obj: Leaf?
        @Persisted var flag = false

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("pk", \Mid.pk), .init("obj", \Mid.obj), .init("flag", \Mid.flag),
                .init("isInvalidated", reading: \Mid.isInvalidated),
            ]
        }
    }

    final class Leaf: Object, KeyValueCaseRow {
        @Persisted(primaryKey: true) var pk = 0
        @Persisted var flag = false

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("pk", \Leaf.pk), .init("flag", \Leaf.flag),
                .init("isInvalidated", reading: \Leaf.isInvalidated),
            ]
        }
    }

    /// Owns embedded objects.
    final class Owner: Object, KeyValueCaseRow {
        @Persisted(primaryKey: true) var pk = 0
        @Persisted var object: Embedded?
        @Persisted var array: List<Embedded>

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("pk", \Owner.pk), .init("object", \Owner.object), .init("array", \Owner.array),
                .init("isInvalidated", reading: \Owner.isInvalidated),
            ]
        }
    }

    final class Embedded: EmbeddedObject, KeyValueCaseModel {
        @Persisted var value = 0

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("value", \Embedded.value),
                .init("isInvalidated", reading: \Embedded.isInvalidated),
            ]
        }
    }

    /// The model with a property of each type.
    final class Sw: Object, KeyValueCaseRow {
        @Persisted(primaryKey: true) var pk = 0
        @Persisted var bool = false
        @Persisted var int8: Int8 = 1
        @Persisted var int16: Int16 = 2
        @Persisted var int32: Int32 = 3
        @Persisted var int64: Int64 = 4
        @Persisted var float: Float = 5
        @Persisted var double: Double = 6
        @Persisted var string: String? = ""
        @Persisted var binary: Data? = Data()
        @Persisted var date: Date? = Date(timeIntervalSince1970: 0)
        @Persisted var decimal: Decimal128?
        @Persisted var objectId: ObjectId?
        @Persisted var uuid: UUID?
        @Persisted var optBool: Bool?
        @Persisted var optInt8: Int8?
        @Persisted var optInt16: Int16?
        @Persisted var optInt32: Int32?
        @Persisted var optInt64: Int64?
        @Persisted var optFloat: Float?
        @Persisted var optDouble: Double?
        @Persisted var object: Sw?
        @Persisted var ints: List<Int>
        @Persisted var arrayCol: List<Sw>
        @Persisted var setCol: MutableSet<Sw>
        @Persisted var mapCol: Map<String, Sw?>
        @Ignored var ignored = 0

        static var caseProperties: [KeyValueCaseProperty] {
            [
                .init("pk", \Sw.pk), .init("bool", \Sw.bool), .init("int8", \Sw.int8),
                .init("int16", \Sw.int16), .init("int32", \Sw.int32), .init("int64", \Sw.int64),
                .init("float", \Sw.float), .init("double", \Sw.double), .init("string", \Sw.string),
                .init("binary", \Sw.binary), .init("date", \Sw.date), .init("decimal", \Sw.decimal),
                .init("objectId", \Sw.objectId), .init("uuid", \Sw.uuid), .init("object", \Sw.object),
                .init("optBool", \Sw.optBool), .init("optInt8", \Sw.optInt8),
                .init("optInt16", \Sw.optInt16), .init("optInt32", \Sw.optInt32),
                .init("optInt64", \Sw.optInt64), .init("optFloat", \Sw.optFloat),
                .init("optDouble", \Sw.optDouble),
                .init("ints", \Sw.ints), .init("arrayCol", \Sw.arrayCol), .init("setCol", \Sw.setCol),
                .init("mapCol", \Sw.mapCol), .init("ignored", \Sw.ignored),
                .init("isInvalidated", reading: \Sw.isInvalidated),
            ]
        }
    }
}
