import Foundation
import Kivo

/// A class with a property of each type.
final class StoredScalars: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var objectId: ObjectId
    @Persisted var uuid: UUID
    @Persisted var decimal: Decimal128
    @Persisted var grade: StoredGrade
    @Persisted var mood: StoredMood
    @Persisted var any: AnyRealmValue
    @Persisted var optionalBool: Bool?
    @Persisted var optionalInt: Int?
    @Persisted var optionalInt8: Int8?
    @Persisted var optionalInt16: Int16?
    @Persisted var optionalInt32: Int32?
    @Persisted var optionalInt64: Int64?
    @Persisted var optionalFloat: Float?
    @Persisted var optionalDouble: Double?
    @Persisted var optionalString: String?
    @Persisted var optionalData: Data?
    @Persisted var optionalDate: Date?
    @Persisted var optionalObjectId: ObjectId?
    @Persisted var optionalUuid: UUID?
    @Persisted var optionalDecimal: Decimal128?
    @Persisted var optionalGrade: StoredGrade?
    @Persisted var optionalMood: StoredMood?
    @Persisted(indexed: true) var indexedInt: Int
    @Persisted(indexed: true) var indexedString: String?
    @Persisted(indexed: true) var indexedUUID: UUID
    @Persisted(indexed: true) var indexedAny: AnyRealmValue
    @Persisted var next: StoredScalars?
    @Persisted var part: StoredPart?
    @Persisted(originProperty: "next") var previous: LinkingObjects<StoredScalars>

    /// Gives each scalar property the sample of a number.
    func fill(_ number: Int) {
        bool = .sample(number)
        int = .sample(number)
        int8 = .sample(number)
        int16 = .sample(number)
        int32 = .sample(number)
        int64 = .sample(number)
        float = .sample(number)
        double = .sample(number)
        string = .sample(number)
        data = .sample(number)
        date = .sample(number)
        objectId = .sample(number)
        uuid = .sample(number)
        decimal = .sample(number)
        grade = .sample(number)
        mood = .sample(number)
        any = .sample(number)
        optionalBool = .sample(number + 0)
        optionalInt = .sample(number + 1)
        optionalInt8 = .sample(number + 2)
        optionalInt16 = .sample(number + 3)
        optionalInt32 = .sample(number + 4)
        optionalInt64 = .sample(number + 5)
        optionalFloat = .sample(number + 6)
        optionalDouble = .sample(number + 7)
        optionalString = .sample(number + 8)
        optionalData = .sample(number + 9)
        optionalDate = .sample(number + 10)
        optionalObjectId = .sample(number + 11)
        optionalUuid = .sample(number + 12)
        optionalDecimal = .sample(number + 13)
        optionalGrade = .sample(number + 14)
        optionalMood = .sample(number + 15)
        indexedInt = .sample(number % 7)
        indexedString = .sample(number % 11)
        indexedUUID = .sample(number % 5)
        indexedAny = .sample(number % 13)
    }
}

/// A part of an object, with parts of its own.
final class StoredPart: EmbeddedObject {
    @Persisted var name: String
    @Persisted var inner: StoredPart?
    @Persisted var numbers: List<Int>
}

enum StoredGrade: Int, PersistableEnum, CaseIterable {
    case low = -1
    case middle = 5
    case high = 70000
}

enum StoredMood: String, PersistableEnum, CaseIterable {
    case calm
    case cross = "a word of more than fifteen bytes"
}
