import Kivo

/// The cost of the first use of a class, which finds its properties.
extension Rows {
    static var classes: [Row] {
        [
            Row("class.first/200", .fast, .ms, .atMost(3)) { fixtures in
                let realm = try fixtures.emptyStore().realm
                var unused = WideModels.all[...]
                return Sampling.repetitions(WideModels.all.count - 1) {
                    // Each class is used for the first time only once in a process.
                    let type = unused.removeFirst()
                    return nanoseconds { consume(realm.objects(type).count) }
                }
            }
        ]
    }
}
