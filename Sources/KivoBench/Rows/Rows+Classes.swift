import Kivo

/// The cost of the first use of a class, which finds its properties: a realm in memory is opened with it.
extension Rows {
    static var classes: [Row] {
        [
            Row("class.first/200", .fast, .ms, .atMost(3)) { _ in
                var unused = WideModels.all[...]
                return try Sampling.repetitions(WideModels.all.count - 1) {
                    // Each class is used for the first time only once in a process.
                    let type = unused.removeFirst()
                    let configuration = Realm.Configuration(
                        inMemoryIdentifier: "class.first \(unused.count)", objectTypes: [type])
                    return try nanoseconds {
                        consume(try Realm(configuration: configuration).objects(type).count)
                    }
                }
            }
        ]
    }
}
