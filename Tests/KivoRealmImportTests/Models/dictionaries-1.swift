// swift-format-ignore-file
import Foundation
import Kivo

enum Dictionaries1 {
    class CollD: Object {
        @Persisted var int: Map<String, Int>
        @Persisted var intOpt: Map<String, Int?>
        @Persisted var bool: Map<String, Bool>
        @Persisted var boolOpt: Map<String, Bool?>
        @Persisted var float: Map<String, Float>
        @Persisted var floatOpt: Map<String, Float?>
        @Persisted var double: Map<String, Double>
        @Persisted var doubleOpt: Map<String, Double?>
        @Persisted var string: Map<String, String>
        @Persisted var stringOpt: Map<String, String?>
        @Persisted var data: Map<String, Data>
        @Persisted var dataOpt: Map<String, Data?>
        @Persisted var date: Map<String, Date>
        @Persisted var dateOpt: Map<String, Date?>
        @Persisted var decimal: Map<String, Decimal128>
        @Persisted var decimalOpt: Map<String, Decimal128?>
        @Persisted var objectId: Map<String, ObjectId>
        @Persisted var objectIdOpt: Map<String, ObjectId?>
        @Persisted var uuid: Map<String, UUID>
        @Persisted var uuidOpt: Map<String, UUID?>
    }
}
