import Foundation
import Kivo

// A shop with products, customers and orders.

class Shop {
    class Product: Object {
        @Persisted(primaryKey: true) var number = 0
        @Persisted var name = ""
        @Persisted var price: Decimal128 = Decimal128(floatLiteral: 9.99)
        @Persisted var stock = 0
        @Persisted var related: List<Product>
        @Persisted(originProperty: "product") var lines: LinkingObjects<OrderLine>
    }

    class Customer: Object {
        override class func _realmObjectName() -> String? { "ShopCustomer" }

        @Persisted(primaryKey: true) var email = ""
        @Persisted var address: Address?
        @Persisted var orders: List<Order>
        @Persisted var discount: Float?
        override class func shouldIncludeInDefaultSchema() -> Bool { true }
    }

    class Address: EmbeddedObject {
        @Persisted var street = ""
        @Persisted var city = ""
    }
}

typealias Product = Shop.Product

class NumberedObject: Object {
    @Persisted(primaryKey: true) var number = 0
}

class Order: NumberedObject {
    enum Status: String, RealmEnum { case open, paid, sent }

    @Persisted var status = Status.open
    @Persisted var lines: List<OrderLine>
    @Persisted var placedAt = Date()

    var total: Decimal128 { lines.reduce(0) { $0 + $1.sum } }
}

class OrderLine: Object {
    @Persisted var product: Product?
    @Persisted var amount = 1
    var sum: Decimal128 { (product?.price ?? 0) * Decimal128(value: amount) }
}

func cheap(_ realm: Realm, below price: Decimal128, named prefix: String?) -> Results<Product> {
    var products = realm.objects(Product.self).filter("price < %@", price)
    if let prefix = prefix {
        products = products.filter("name BEGINSWITH[c] %@", prefix)
    }
    return products.filter("stock > 0")
}

func discounts(_ realm: Realm) -> [Float] {
    let customers = realm.objects(Shop.Customer.self).filter("ANY orders.status == 'paid'")
    return customers.compactMap { customer in customer.discount }
}

/// The cart that the window observes.
class Cart: KeyValueObservable {
    @Observed var count = 0
    @ObservedWeak var owner: Cart? = nil
    @Observed var total: Decimal = 0

    func clear() {
        count = 0
    }
}
