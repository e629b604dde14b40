// swift-format-ignore-file
import Foundation
import Kivo

enum MixedNested1 {
    class `Any`: Object {
        @Persisted var any: AnyRealmValue
        @Persisted var anyList: List<AnyRealmValue>
        @Persisted var anyDict: Map<String, AnyRealmValue>
        @Persisted var anySet: MutableSet<AnyRealmValue>
    }

    class Target: Object {
        @Persisted var n: Int
    }
}
