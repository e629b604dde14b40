@testable import KivoSchemaDrawing

/// Schemas by chance, the same for the same seed.
struct RandomOutline {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func number(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }

    mutating func make() -> SchemaOutline {
        let count = 1 + number(below: 24)
        return SchemaOutline(
            (0..<count).map { index in
                let properties = (0..<number(below: 7)).map { property(of: count, $0) }
                return .init("Class\(index)", isEmbedded: number(below: 4) == 0, properties)
            })
    }

    private mutating func property(of count: Int, _ index: Int) -> SchemaOutline.Property {
        if number(below: 2) == 0 {
            return .init("value\(index)", type: "Int", isIndexed: number(below: 3) == 0)
        }
        // Some lead to a class that is not there.
        let target = "Class\(number(below: count + 1))"
        let collections: [SchemaOutline.Property.Collection?] = [nil, nil, .list, .set, .map]
        return .init(
            "link\(index)", type: target, target: target, collection: collections[number(below: 5)])
    }
}
