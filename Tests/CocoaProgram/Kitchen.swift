import Foundation

// A program for Cocoa's key-value observing: view models of a restaurant, a board that observes them by name, and operations.

private var ordersContext = 0
private var totalContext = 0
private var statusContext = 0

final class Dish: NSObject {
    @objc dynamic var name: String
    @objc dynamic var price: Int
    @objc dynamic var isReady = false

    init(name: String, price: Int) {
        self.name = name
        self.price = price
        super.init()
    }

    override var description: String { name }
}

final class Guest: NSObject {
    @objc dynamic var name = ""
    @objc dynamic var favourite: Dish?
}

class Order: NSObject {
    @objc dynamic var dishes: [Dish] = []
    @objc dynamic var tip = 0
    @objc dynamic var notes: Set<String> = []
    @objc dynamic var guest: Guest?
    @objc dynamic private(set) var changeCount = 0
    private var hidden = "new"

    @objc dynamic var total: Int {
        dishes.reduce(tip) { $0 + $1.price }
    }

    @objc dynamic var summary: String {
        "\(guest?.name ?? "nobody") pays \(total)"
    }

    @objc dynamic var status: String {
        get { hidden }
        set {
            willChangeValue(forKey: "status")
            hidden = newValue
            changeCount += 1
            didChangeValue(forKey: "status")
        }
    }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "total": return ["dishes", "tip"]
        case "summary": return ["total", "guest.name"]
        default: return super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        key == "status" ? false : super.automaticallyNotifiesObservers(forKey: key)
    }

    override func setNilValueForKey(_ key: String) {
        if key == "tip" {
            tip = 0
        } else {
            super.setNilValueForKey(key)
        }
    }
}

final class Delivery: Order {
    @objc dynamic var fee = 3

    override var total: Int { super.total + fee }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        var keys = super.keyPathsForValuesAffectingValue(forKey: key)
        if key == "total" { keys.insert("fee") }
        return keys
    }
}

/// Cooks a dish on a queue, and ends when the oven reports that it is done.
final class Cooking: Operation, @unchecked Sendable {
    @objc dynamic var progress = 0.0
    let dish: Dish
    private let lock = NSLock()
    private var executing = false
    private var finished = false

    init(dish: Dish) {
        self.dish = dish
        super.init()
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { lock.withLock { executing } }
    override var isFinished: Bool { lock.withLock { finished } }

    override func start() {
        willChangeValue(for: \.isExecuting)
        lock.withLock { executing = true }
        didChangeValue(for: \.isExecuting)
        for step in 1...2 { progress = Double(step) / 2 }
        dish.isReady = true
        finish()
    }

    private func finish() {
        willChangeValue(for: \.isExecuting)
        willChangeValue(for: \.isFinished)
        lock.withLock { (executing, finished) = (false, true) }
        didChangeValue(for: \.isFinished)
        didChangeValue(for: \.isExecuting)
    }
}

/// Washes up: an operation that only has a `main`.
final class WashingUp: Operation, @unchecked Sendable {
    @objc dynamic var plates = 0
    override func main() { plates = 2 }
}

final class Board: NSObject {
    let order: Order
    private var tokens: [NSKeyValueObservation] = []

    init(order: Order) {
        self.order = order
        super.init()
        order.addObserver(self, forKeyPath: "dishes", options: [.old, .new], context: &ordersContext)
        order.addObserver(self, forKeyPath: "total", options: [], context: &totalContext)
        order.addObserver(self, forKeyPath: "status", options: [.prior], context: &statusContext)
        order.addObserver(self, forKeyPath: "guest.favourite.name", options: [.initial, .new], context: nil)
        order.addObserver(self, forKeyPath: "dishes.@count", options: [.new], context: nil)
        tokens.append(
            order.observe(\.summary, options: [.old, .new]) { _, change in
                print("summary:", change.oldValue!, "->", change.newValue!)
            })
    }

    func close() {
        tokens.forEach { $0.invalidate() }
        order.removeObserver(self, forKeyPath: "dishes", context: &ordersContext)
        order.removeObserver(self, forKeyPath: "total", context: &totalContext)
        order.removeObserver(self, forKeyPath: "status", context: &statusContext)
        order.removeObserver(self, forKeyPath: "guest.favourite.name")
        order.removeObserver(self, forKeyPath: "dishes.@count")
    }

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        if context == &ordersContext {
            let kind = NSKeyValueChange(rawValue: change![.kindKey] as! UInt)!
            let indexes = (change![.indexesKey] as? IndexSet).map { Array($0) } ?? []
            let (old, new) = (change![.oldKey] as? [Dish] ?? [], change![.newKey] as? [Dish] ?? [])
            print("dishes: kind \(kind.rawValue) at \(indexes), \(old) -> \(new)")
        } else if context == &totalContext {
            print("total:", order.total)
        } else if context == &statusContext {
            let isPrior = change?[.notificationIsPriorKey] as? Bool ?? false
            print(isPrior ? "status was \(order.status)" : "status is \(order.status)")
        } else if keyPath == "guest.favourite.name" || keyPath == "dishes.@count" {
            let new = change?[.newKey]
            print("\(keyPath!):", new is NSNull ? "none" : new!)
        } else {
            super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
    }
}

final class Program: NSObject {
    func serve() {
        let order = Delivery()
        let board = Board(order: order)
        let (soup, pie) = (Dish(name: "soup", price: 5), Dish(name: "pie", price: 7))
        let dishes = order.mutableArrayValue(forKey: "dishes")
        dishes.add(soup)
        dishes.insert(pie, at: 0)
        dishes.replaceObject(at: 1, with: Dish(name: "stew", price: 9))
        dishes.removeObject(at: 0)
        order.tip = 1
        order.setValue(nil, forKey: "tip")
        order.setValue(4, forKeyPath: "fee")
        order.guest = Guest()
        order.guest?.name = "Ada"
        order.guest?.favourite = pie
        pie.name = "apple pie"
        order.status = "cooking"
        order.mutableSetValue(forKey: "notes").add("no salt")
        print("sum:", order.value(forKeyPath: "dishes.@sum.price")!, "changes:", order.changeCount)
        print("notes:", order.notes)
        board.close()
        order.tip = 100
        cook([soup, pie])
    }

    private func cook(_ dishes: [Dish]) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        var tokens: [NSKeyValueObservation] = []
        var operations: [Operation] = []
        for dish in dishes {
            let cooking = Cooking(dish: dish)
            tokens.append(
                cooking.observe(\.progress, options: [.new]) { cooking, change in
                    print("\(cooking.dish): \(Int(change.newValue! * 100)) %")
                })
            tokens.append(
                cooking.observe(\.isFinished, options: [.old, .new]) { cooking, change in
                    print("\(cooking.dish): finished \(change.oldValue!) -> \(change.newValue!)")
                })
            operations.append(cooking)
        }
        let washing = WashingUp()
        tokens.append(washing.observe(\.plates) { washing, _ in print("plates:", washing.plates) })
        operations.append(washing)
        queue.addOperations(operations, waitUntilFinished: true)
        print("ready:", dishes.map(\.isReady), "finished:", operations.map(\.isFinished))
        tokens.forEach { $0.invalidate() }
    }
}

@main
enum Main {
    static func main() { Program().serve() }
}
