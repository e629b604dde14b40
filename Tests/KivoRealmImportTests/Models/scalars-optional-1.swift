// swift-format-ignore-file
import Foundation
import Kivo

enum ScalarsOptional1 {
    class All: Object {
        @Persisted var int: Int?
        @Persisted var bool: Bool?
        @Persisted var float: Float?
        @Persisted var double: Double?
        @Persisted var string: String?
        @Persisted var data: Data?
        @Persisted var date: Date?
        @Persisted var decimal: Decimal128?
        @Persisted var objectId: ObjectId?
        @Persisted var uuid: UUID?
        @Persisted var mixed: AnyRealmValue
    }
}
