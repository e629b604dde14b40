import Foundation
import Kivo
import KivoEtcd

// The other program of two: waits for orders that OrderShop takes on any machine, and marks them as paid.
//
//     OrderTill COUNT MEMBER...        ends after COUNT orders

/// An order. Both programs declare it alike.
final class Order: Object {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var item = ""
    @Persisted var isPaid = false
}

guard CommandLine.arguments.count >= 3, let count = Int(CommandLine.arguments[1]) else {
    print("usage: OrderTill COUNT MEMBER...")
    exit(64)
}
let members = CommandLine.arguments[2...].compactMap { URL(string: $0) }
let realm = try Realm(
    configuration: .etcd(EtcdOptions(endpoints: members, prefix: "example/orders"), objectTypes: [Order.self])
)

var paid = 0
let open = realm.objects(Order.self).where { !$0.isPaid }.sorted(by: \.number)
while paid < count {
    // Turns of the run loop bring what others have committed.
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
    realm.refresh()
    guard let order = open.first else { continue }
    let (number, item) = (order.number, order.item)
    try realm.write(attempts: 20) { open.first?.isPaid = true }
    paid += 1
    print("paid: order \(number), \(item)")
}
