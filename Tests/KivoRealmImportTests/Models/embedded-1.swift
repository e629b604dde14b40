// swift-format-ignore-file
import Foundation
import Kivo

enum Embedded1 {
    class Address: EmbeddedObject {
        @Persisted var street: String
        @Persisted var geo: Geo?
    }

    class Geo: EmbeddedObject {
        @Persisted var lat: Double
        @Persisted var lon: Double
    }

    class Line: EmbeddedObject {
        @Persisted var sku: String
        @Persisted var qty: Int?
        @Persisted var tags: List<String>
    }

    class Order: Object {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var addr: Address?
        @Persisted var lines: List<Line>
        @Persisted var extra: Map<String, Line?>
    }
}
