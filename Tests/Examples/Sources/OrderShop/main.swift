import Foundation
import Kivo
import KivoEtcd

// The one program of two: takes orders, on any machine that reaches the cluster, and prints how many it has taken.
//
//     OrderShop COUNT MEMBER...        for example: OrderShop 3 http://10.0.0.1:2379 http://10.0.0.2:2379
//
// The other one, OrderTill, observes the same realm on another machine.

/// An order. Both programs declare it alike.
final class Order: Object {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var item = ""
    @Persisted var isPaid = false
}

guard CommandLine.arguments.count >= 3, let count = Int(CommandLine.arguments[1]) else {
    print("usage: OrderShop COUNT MEMBER...")
    exit(64)
}
let members = CommandLine.arguments[2...].compactMap { URL(string: $0) }
let realm = try Realm(
    configuration: .etcd(EtcdOptions(endpoints: members, prefix: "example/orders"), objectTypes: [Order.self])
)

let items = ["tea", "bread", "plums"]
for index in 0..<count {
    // The till may commit in the same moment: the block then runs again, on what is there by now.
    let number = try realm.write(attempts: 20) { () -> Int in
        let number = (realm.objects(Order.self).max(of: \.number) ?? 0) + 1
        realm.add(Order(value: ["number": number, "item": items[index % items.count]] as [String: Any]))
        return number
    }
    print("taken: order \(number)")
}
