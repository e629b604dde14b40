import Kivo
import KivoRealmFiles
import KivoRealmImport
import TestRandomness
import XCTest

enum GraphModels {
    class GraphNode: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var next: GraphNode?
        @Persisted var many: List<GraphNode>
        @Persisted var seen: MutableSet<GraphNode>
        @Persisted var own: GraphPart?
        @Persisted var parts: List<GraphPart>
        @Persisted(originProperty: "many") var referrers: LinkingObjects<GraphNode>
    }

    class GraphPart: EmbeddedObject {
        @Persisted var number: Int
        @Persisted var sub: GraphPart?
    }
}

/// Random objects that link to each other come in as they are, in one transaction or several, once or twice.
final class ImportGraphTests: ImportTestCase {
    func testRandomGraphs() throws {
        let seed = RandomSource.seed()
        var random = RandomSource(seed: seed)
        for round in TestEffort.rounds(60, within: 0.24) {
            let graph = RandomGraph(using: &random)
            // The builder puts each class into one cluster.
            if graph.parts.count > 256 { continue }
            let file = try RealmFile(bytes: graph.file())
            let size = Int.random(in: 1...9, using: &random)
            for transactions in [RealmFileImport.Transactions.one, .batches(of: size)] {
                let realm = try makeRealm("\(round) \(transactions)")
                var options = RealmFileImport.Options(classes: .types([GraphModels.GraphNode.self]))
                options.transactions = transactions
                let what = "seed \(seed), round \(round), \(transactions)"
                let report = try realm.importObjects(fromRealmFile: file, options: options)
                XCTAssertEqual(report.issueCount, 0, "\(what): \(report)")
                compare(realm, graph, what)
                options.existingObjects = .overwrite
                try realm.write {
                    for node in realm.objects(GraphModels.GraphNode.self).filter({ $0.id % 3 == 0 }) {
                        node.many.removeAll()
                        node.next = node
                        node.parts.append(GraphModels.GraphPart(value: ["number": 5000]))
                    }
                }
                try realm.importObjects(fromRealmFile: file, options: options)
                compare(realm, graph, what + ", overwritten")
            }
        }
    }

    private func compare(_ realm: Realm, _ graph: RandomGraph, _ what: String) {
        func number(_ place: Int) -> String {
            "\(graph.parts[place].number)" + (graph.parts[place].sub.map { "/" + number($0) } ?? "")
        }
        func number(_ part: GraphModels.GraphPart) -> String {
            "\(part.number)" + (part.sub.map { "/" + number($0) } ?? "")
        }
        let ids = graph.nodes.map(\.id)
        let expected = graph.nodes.map { node in
            """
            \(node.id) \(node.next.map { "\(ids[$0])" } ?? "-") \(node.many.map { ids[$0] }) \
            \(node.seen.map { ids[$0] }.sorted()) \(node.own.map(number) ?? "-") \(node.parts.map(number))
            """
        }
        let nodes = realm.objects(GraphModels.GraphNode.self)
        let found: [String] = nodes.map { node in
            """
            \(node.id) \(node.next.map { "\($0.id)" } ?? "-") \(Array(node.many.map(\.id))) \
            \(node.seen.map(\.id).sorted()) \(node.own.map(number) ?? "-") \(Array(node.parts.map(number)))
            """
        }
        XCTAssertEqual(found, expected, what)
        XCTAssertEqual(realm.dynamicObjects("GraphPart").count, graph.parts.count, what)
        for (place, node) in nodes.enumerated() {
            let links = graph.nodes.reduce(0) { $0 + $1.many.count { $0 == place } }
            XCTAssertEqual(node.referrers.count, links, what)
        }
    }
}
