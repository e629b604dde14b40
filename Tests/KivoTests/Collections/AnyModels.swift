import Foundation
import Kivo

final class AnyNote: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var content: AnyRealmValue
    @Persisted(indexed: true) var label: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var number = 0
}

final class AnyTarget: Object {
    @Persisted var name = ""
    @Persisted var next: AnyTarget?
}

final class AnyOtherTarget: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var content: AnyRealmValue
}

final class AnyDefault: Object {
    @Persisted var content: AnyRealmValue = .string("a default")
}

/// One value of each case other than object, list and dictionary.
enum AnySamples {
    static var plain: [AnyRealmValue] {
        [
            .none, .int(-7), .int(.max), .bool(true), .bool(false), .float(1.5), .double(-2.25), .string(""),
            .string("a string of more than fifteen bytes"), .string("short"), .data(Data()),
            .data(Data([0, 255, 7])), .date(Date(timeIntervalSinceReferenceDate: 12345.5)),
            .objectId(ObjectId("507f1f77bcf86cd799439011")),
            .decimal128(Decimal128(1234)), .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!),
        ]
    }
}
