import Foundation
import Kivo
import KivoEtcd
import XCTest

class Order: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var isPaid = false
}

func openOrders() throws -> Realm {
    let members = ["http://10.0.0.1:2379", "http://10.0.0.2:2379", "http://10.0.0.3:2379"]
    var options = EtcdOptions(endpoints: members.compactMap { URL(string: $0) }, prefix: "shop/orders")
    options.replicaPath = "/var/lib/shop/orders.replica"
    return try Realm(configuration: .etcd(options, objectTypes: [Order.self]))
}

/// The programs of the article, which are compiled here; `Tests/Examples` has them as programs that run.
private enum Programs {
    static func shop() throws {
        let realm = try openOrders()
        try realm.write(attempts: 10) { realm.add(Order(value: ["number": 1])) }
    }

    static func till() throws {
        let realm = try openOrders()
        let token = realm.objects(Order.self).where { !$0.isPaid }.observe { change in
            print(change)
        }
        RunLoop.main.run()
        token.invalidate()
    }
}

/// The page OneRealmOnManyMachines.
final class ArticleTests: XCTestCase {
    /// Each line of code of the page is one of this file.
    func testTheCodeOfThePageCompiles() throws {
        let file = URL(fileURLWithPath: #filePath)
        let root = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appendingPathComponent("Sources/KivoEtcd/KivoEtcd.docc/OneRealmOnManyMachines.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let own = try String(contentsOf: file, encoding: .utf8)
        let known = Set(own.split(separator: "\n").map { $0.drop { $0 == " " } })
        var (isCode, count) = (false, 0)
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") {
                isCode = line == "```swift"
            } else if isCode {
                count += 1
                XCTAssert(known.contains(line.drop { $0 == " " }), "\(line)")
            }
        }
        XCTAssertGreaterThan(count, 15)
    }
}
