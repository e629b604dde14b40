// swift-format-ignore-file
import Foundation
import Kivo

enum Indexes1 {
    class Idx: Object {
        @Persisted(indexed: true) var i: Int
        @Persisted(indexed: true) var s: String?
        @Persisted(indexed: true) var b: Bool
        @Persisted(indexed: true) var d: Date?
        @Persisted(indexed: true) var o: ObjectId
        @Persisted(indexed: true) var u: UUID?
        @Persisted(indexed: true) var m: AnyRealmValue
        @Persisted var text: String
        @Persisted var plain: Int
    }
}
