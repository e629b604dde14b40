import RealmFileBuilding

extension AdoptedFile {
    static let shop = AdoptedFile(
        name: "Shop", schemaVersion: 2,
        classes: [
            FileClass(
                "Product", primaryKey: "number",
                [
                    .init("number", .int), .init("name", .string), .init("price", .decimal),
                    .init("stock", .int), .init("related", to: "Product", .list),
                ],
                [
                    [
                        "number": .int(1), "name": .string("Tea"), "price": .decimal(350, fraction: 2),
                        "stock": .int(12), "related": .list([.object(1), .object(2)]),
                    ],
                    [
                        "number": .int(2), "name": .string("Pot"), "price": .decimal(1999, fraction: 2),
                        "stock": .int(0), "related": .list([.object(0)]),
                    ],
                    [
                        "number": .int(300), "name": .string("Teaspoon"), "price": .decimal(0, fraction: 0),
                        "stock": .int(-1),
                    ],
                ]),
            // The class is 'Shop.Customer'; this is what '@objc' called it.
            FileClass(
                "ShopCustomer", primaryKey: "email",
                [
                    .init("email", .string), .init("address", to: "Address"),
                    .init("orders", to: "Order", .list), .init("discount", .float, isOptional: true),
                ],
                [
                    [
                        "email": .string("ann@example.org"), "address": .object(0),
                        "orders": .list([.object(1), .object(0)]), "discount": .float(0.15),
                    ],
                    ["email": .string("bob@example.org"), "orders": .list([.object(2)])],
                ]),
            FileClass(
                "Address", isEmbedded: true, [.init("street", .string), .init("city", .string)],
                [["street": .string("Gärtnerweg 1"), "city": .string("Zürich")]]),
            FileClass("NumberedObject", primaryKey: "number", [.init("number", .int)], []),
            FileClass(
                "Order", primaryKey: "number",
                [
                    .init("number", .int), .init("status", .string), .init("lines", to: "OrderLine", .list),
                    .init("placedAt", .date),
                ],
                [
                    [
                        "number": .int(100), "status": .string("paid"),
                        "lines": .list([.object(0), .object(1)]), "placedAt": .date(1_680_000_000, 0),
                    ],
                    ["number": .int(101), "status": .string("open"), "placedAt": .date(1_680_000_100, 0)],
                    [
                        "number": .int(102), "status": .string("sent"), "lines": .list([.object(2)]),
                        "placedAt": .date(1_680_000_200, 0),
                    ],
                ]),
            FileClass(
                "OrderLine", [.init("product", to: "Product"), .init("amount", .int)],
                [
                    ["product": .object(0), "amount": .int(2)], ["product": .object(1), "amount": .int(1)],
                    ["amount": .int(0)],
                ]),
        ])
}
