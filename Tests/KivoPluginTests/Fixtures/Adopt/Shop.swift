import Foundation
import RealmSwift

// A shop with products, customers and orders.

class Shop {
    class Product: Object {
        @objc dynamic var number = 0
        @objc dynamic var name = ""
        @objc dynamic var price: Decimal128 = Decimal128(floatLiteral: 9.99)
        @objc dynamic var stock = 0
        let related = List<Product>()
        let lines = LinkingObjects(fromType: OrderLine.self, property: "product")

        override class func primaryKey() -> String? { "number" }
    }

    @objc(ShopCustomer)
    class Customer: Object {
        @objc dynamic var email = ""
        @objc dynamic var address: Address?
        let orders = List<Order>()
        let discount = RealmOptional<Float>()

        override class func primaryKey() -> String? { "email" }
        override class func shouldIncludeInDefaultSchema() -> Bool { true }
    }

    class Address: EmbeddedObject {
        @objc dynamic var street = ""
        @objc dynamic var city = ""
    }
}

typealias Product = Shop.Product

class NumberedObject: Object {
    @objc dynamic var number = 0
    override class func primaryKey() -> String? { #keyPath(NumberedObject.number) }
}

class Order: NumberedObject {
    enum Status: String, RealmEnum { case open, paid, sent }

    @Persisted var status = Status.open
    @Persisted var lines: List<OrderLine>
    @Persisted var placedAt = Date()

    var total: Decimal128 { lines.reduce(0) { $0 + $1.sum } }
}

class OrderLine: Object {
    @objc dynamic var product: Product?
    @objc dynamic var amount = 1
    var sum: Decimal128 { (product?.price ?? 0) * Decimal128(value: amount) }
}

func cheap(_ realm: Realm, below price: Decimal128, named prefix: String?) -> Results<Product> {
    var products = realm.objects(Product.self).filter(NSPredicate(format: "price < %@", price))
    if let prefix = prefix {
        products = products.filter(NSPredicate(format: "name BEGINSWITH[c] %@", prefix))
    }
    return products.filter("stock > 0")
}

func discounts(_ realm: Realm) -> [Float] {
    let customers = realm.objects(Shop.Customer.self).filter("ANY orders.status == 'paid'")
    return customers.compactMap { customer in customer.discount.value }
}

/// The cart that the window observes.
class Cart: NSObject {
    @objc dynamic var count = 0
    @objc dynamic weak var owner: Cart?
    @objc dynamic var total: Decimal = 0

    func clear() {
        count = 0
    }
}
