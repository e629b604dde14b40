import Foundation
import Kivo

/// A class with a list of each type of element.
final class StoredLists: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var bool: List<Bool>
    @Persisted var optionalBool: List<Bool?>
    @Persisted var int: List<Int>
    @Persisted var optionalInt: List<Int?>
    @Persisted var int8: List<Int8>
    @Persisted var optionalInt8: List<Int8?>
    @Persisted var int16: List<Int16>
    @Persisted var optionalInt16: List<Int16?>
    @Persisted var int32: List<Int32>
    @Persisted var optionalInt32: List<Int32?>
    @Persisted var int64: List<Int64>
    @Persisted var optionalInt64: List<Int64?>
    @Persisted var float: List<Float>
    @Persisted var optionalFloat: List<Float?>
    @Persisted var double: List<Double>
    @Persisted var optionalDouble: List<Double?>
    @Persisted var string: List<String>
    @Persisted var optionalString: List<String?>
    @Persisted var data: List<Data>
    @Persisted var optionalData: List<Data?>
    @Persisted var date: List<Date>
    @Persisted var optionalDate: List<Date?>
    @Persisted var objectId: List<ObjectId>
    @Persisted var optionalObjectId: List<ObjectId?>
    @Persisted var uuid: List<UUID>
    @Persisted var optionalUuid: List<UUID?>
    @Persisted var decimal: List<Decimal128>
    @Persisted var optionalDecimal: List<Decimal128?>
    @Persisted var grade: List<StoredGrade>
    @Persisted var optionalGrade: List<StoredGrade?>
    @Persisted var mood: List<StoredMood>
    @Persisted var optionalMood: List<StoredMood?>
    @Persisted var any: List<AnyRealmValue>
    @Persisted var objects: List<StoredScalars>
    @Persisted var parts: List<StoredPart>

    /// Fills each collection of values with the samples from a number on.
    func fill(_ number: Int, count: Int) {
        StoredSamples.fill(bool, number, count)
        StoredSamples.fill(optionalBool, number, count)
        StoredSamples.fill(int, number, count)
        StoredSamples.fill(optionalInt, number, count)
        StoredSamples.fill(int8, number, count)
        StoredSamples.fill(optionalInt8, number, count)
        StoredSamples.fill(int16, number, count)
        StoredSamples.fill(optionalInt16, number, count)
        StoredSamples.fill(int32, number, count)
        StoredSamples.fill(optionalInt32, number, count)
        StoredSamples.fill(int64, number, count)
        StoredSamples.fill(optionalInt64, number, count)
        StoredSamples.fill(float, number, count)
        StoredSamples.fill(optionalFloat, number, count)
        StoredSamples.fill(double, number, count)
        StoredSamples.fill(optionalDouble, number, count)
        StoredSamples.fill(string, number, count)
        StoredSamples.fill(optionalString, number, count)
        StoredSamples.fill(data, number, count)
        StoredSamples.fill(optionalData, number, count)
        StoredSamples.fill(date, number, count)
        StoredSamples.fill(optionalDate, number, count)
        StoredSamples.fill(objectId, number, count)
        StoredSamples.fill(optionalObjectId, number, count)
        StoredSamples.fill(uuid, number, count)
        StoredSamples.fill(optionalUuid, number, count)
        StoredSamples.fill(decimal, number, count)
        StoredSamples.fill(optionalDecimal, number, count)
        StoredSamples.fill(grade, number, count)
        StoredSamples.fill(optionalGrade, number, count)
        StoredSamples.fill(mood, number, count)
        StoredSamples.fill(optionalMood, number, count)
        StoredSamples.fill(any, number, count)
    }
}

/// A class with a set of each type of element.
final class StoredSets: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var bool: MutableSet<Bool>
    @Persisted var optionalBool: MutableSet<Bool?>
    @Persisted var int: MutableSet<Int>
    @Persisted var optionalInt: MutableSet<Int?>
    @Persisted var int8: MutableSet<Int8>
    @Persisted var optionalInt8: MutableSet<Int8?>
    @Persisted var int16: MutableSet<Int16>
    @Persisted var optionalInt16: MutableSet<Int16?>
    @Persisted var int32: MutableSet<Int32>
    @Persisted var optionalInt32: MutableSet<Int32?>
    @Persisted var int64: MutableSet<Int64>
    @Persisted var optionalInt64: MutableSet<Int64?>
    @Persisted var float: MutableSet<Float>
    @Persisted var optionalFloat: MutableSet<Float?>
    @Persisted var double: MutableSet<Double>
    @Persisted var optionalDouble: MutableSet<Double?>
    @Persisted var string: MutableSet<String>
    @Persisted var optionalString: MutableSet<String?>
    @Persisted var data: MutableSet<Data>
    @Persisted var optionalData: MutableSet<Data?>
    @Persisted var date: MutableSet<Date>
    @Persisted var optionalDate: MutableSet<Date?>
    @Persisted var objectId: MutableSet<ObjectId>
    @Persisted var optionalObjectId: MutableSet<ObjectId?>
    @Persisted var uuid: MutableSet<UUID>
    @Persisted var optionalUuid: MutableSet<UUID?>
    @Persisted var decimal: MutableSet<Decimal128>
    @Persisted var optionalDecimal: MutableSet<Decimal128?>
    @Persisted var grade: MutableSet<StoredGrade>
    @Persisted var optionalGrade: MutableSet<StoredGrade?>
    @Persisted var mood: MutableSet<StoredMood>
    @Persisted var optionalMood: MutableSet<StoredMood?>
    @Persisted var any: MutableSet<AnyRealmValue>
    @Persisted var objects: MutableSet<StoredScalars>

    /// Fills each collection of values with the samples from a number on.
    func fill(_ number: Int, count: Int) {
        StoredSamples.fill(bool, number, count)
        StoredSamples.fill(optionalBool, number, count)
        StoredSamples.fill(int, number, count)
        StoredSamples.fill(optionalInt, number, count)
        StoredSamples.fill(int8, number, count)
        StoredSamples.fill(optionalInt8, number, count)
        StoredSamples.fill(int16, number, count)
        StoredSamples.fill(optionalInt16, number, count)
        StoredSamples.fill(int32, number, count)
        StoredSamples.fill(optionalInt32, number, count)
        StoredSamples.fill(int64, number, count)
        StoredSamples.fill(optionalInt64, number, count)
        StoredSamples.fill(float, number, count)
        StoredSamples.fill(optionalFloat, number, count)
        StoredSamples.fill(double, number, count)
        StoredSamples.fill(optionalDouble, number, count)
        StoredSamples.fill(string, number, count)
        StoredSamples.fill(optionalString, number, count)
        StoredSamples.fill(data, number, count)
        StoredSamples.fill(optionalData, number, count)
        StoredSamples.fill(date, number, count)
        StoredSamples.fill(optionalDate, number, count)
        StoredSamples.fill(objectId, number, count)
        StoredSamples.fill(optionalObjectId, number, count)
        StoredSamples.fill(uuid, number, count)
        StoredSamples.fill(optionalUuid, number, count)
        StoredSamples.fill(decimal, number, count)
        StoredSamples.fill(optionalDecimal, number, count)
        StoredSamples.fill(grade, number, count)
        StoredSamples.fill(optionalGrade, number, count)
        StoredSamples.fill(mood, number, count)
        StoredSamples.fill(optionalMood, number, count)
        StoredSamples.fill(any, number, count)
    }
}

/// A class with a map of each type of element.
final class StoredMaps: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted var bool: Map<String, Bool>
    @Persisted var optionalBool: Map<String, Bool?>
    @Persisted var int: Map<String, Int>
    @Persisted var optionalInt: Map<String, Int?>
    @Persisted var int8: Map<String, Int8>
    @Persisted var optionalInt8: Map<String, Int8?>
    @Persisted var int16: Map<String, Int16>
    @Persisted var optionalInt16: Map<String, Int16?>
    @Persisted var int32: Map<String, Int32>
    @Persisted var optionalInt32: Map<String, Int32?>
    @Persisted var int64: Map<String, Int64>
    @Persisted var optionalInt64: Map<String, Int64?>
    @Persisted var float: Map<String, Float>
    @Persisted var optionalFloat: Map<String, Float?>
    @Persisted var double: Map<String, Double>
    @Persisted var optionalDouble: Map<String, Double?>
    @Persisted var string: Map<String, String>
    @Persisted var optionalString: Map<String, String?>
    @Persisted var data: Map<String, Data>
    @Persisted var optionalData: Map<String, Data?>
    @Persisted var date: Map<String, Date>
    @Persisted var optionalDate: Map<String, Date?>
    @Persisted var objectId: Map<String, ObjectId>
    @Persisted var optionalObjectId: Map<String, ObjectId?>
    @Persisted var uuid: Map<String, UUID>
    @Persisted var optionalUuid: Map<String, UUID?>
    @Persisted var decimal: Map<String, Decimal128>
    @Persisted var optionalDecimal: Map<String, Decimal128?>
    @Persisted var grade: Map<String, StoredGrade>
    @Persisted var optionalGrade: Map<String, StoredGrade?>
    @Persisted var mood: Map<String, StoredMood>
    @Persisted var optionalMood: Map<String, StoredMood?>
    @Persisted var any: Map<String, AnyRealmValue>
    @Persisted var objects: Map<String, StoredScalars?>
    @Persisted var parts: Map<String, StoredPart?>

    /// Fills each collection of values with the samples from a number on.
    func fill(_ number: Int, count: Int) {
        StoredSamples.fill(bool, number, count)
        StoredSamples.fill(optionalBool, number, count)
        StoredSamples.fill(int, number, count)
        StoredSamples.fill(optionalInt, number, count)
        StoredSamples.fill(int8, number, count)
        StoredSamples.fill(optionalInt8, number, count)
        StoredSamples.fill(int16, number, count)
        StoredSamples.fill(optionalInt16, number, count)
        StoredSamples.fill(int32, number, count)
        StoredSamples.fill(optionalInt32, number, count)
        StoredSamples.fill(int64, number, count)
        StoredSamples.fill(optionalInt64, number, count)
        StoredSamples.fill(float, number, count)
        StoredSamples.fill(optionalFloat, number, count)
        StoredSamples.fill(double, number, count)
        StoredSamples.fill(optionalDouble, number, count)
        StoredSamples.fill(string, number, count)
        StoredSamples.fill(optionalString, number, count)
        StoredSamples.fill(data, number, count)
        StoredSamples.fill(optionalData, number, count)
        StoredSamples.fill(date, number, count)
        StoredSamples.fill(optionalDate, number, count)
        StoredSamples.fill(objectId, number, count)
        StoredSamples.fill(optionalObjectId, number, count)
        StoredSamples.fill(uuid, number, count)
        StoredSamples.fill(optionalUuid, number, count)
        StoredSamples.fill(decimal, number, count)
        StoredSamples.fill(optionalDecimal, number, count)
        StoredSamples.fill(grade, number, count)
        StoredSamples.fill(optionalGrade, number, count)
        StoredSamples.fill(mood, number, count)
        StoredSamples.fill(optionalMood, number, count)
        StoredSamples.fill(any, number, count)
    }
}
