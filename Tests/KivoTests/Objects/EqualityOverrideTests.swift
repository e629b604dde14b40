import Kivo
import XCTest

class WalletToken: Object {
    @Persisted var contract = ""
    @Persisted var value = 0
    @Persisted(originProperty: "tokens") var wallets: LinkingObjects<Wallet>

    override func isEqual(_ object: Any?) -> Bool { (object as? WalletToken)?.contract == contract }
    override var hash: Int { contract.hashValue }
}

class Wallet: Object {
    @Persisted var tokens: List<WalletToken>

    override func isEqual(_ object: Any?) -> Bool { super.isEqual(object) }
}

/// Classes that compare their objects by a rule of their own.
final class EqualityOverrideTests: RealmTestCase {
    private func token(_ contract: String, _ value: Int) -> WalletToken {
        WalletToken(value: ["contract": contract, "value": value])
    }

    func testUnmanagedObjects() {
        let (a, b, other) = (token("0x1", 1), token("0x1", 2), token("0x2", 1))
        XCTAssertTrue(a == b && a != other)
        XCTAssertTrue(a.isEqual(b) && !a.isEqual(nil) && !a.isEqual("0x1"))
        XCTAssertEqual(Set([a, b, other]).count, 2)
        XCTAssertTrue([other, a].contains(b))
        let wallet = Wallet(value: ["tokens": [other, a]])
        XCTAssertEqual(wallet.tokens.index(of: b), 1)
        XCTAssertTrue(wallet.tokens.contains(b))
    }

    func testManagedObjects() throws {
        let realm = try openRealm()
        let wallet = Wallet()
        try realm.write {
            wallet.tokens.append(objectsIn: [token("0x1", 1), token("0x2", 2), token("0x2", 3)])
            realm.add(wallet)
        }
        let fetched = token("0x2", 9)
        XCTAssertTrue(wallet.tokens.contains(fetched))
        XCTAssertEqual(wallet.tokens.index(of: fetched), 1)
        XCTAssertEqual(
            wallet.tokens.index(of: wallet.tokens[2]), 1, "the first equal one, as contains(_:) finds it")
        XCTAssertNil(wallet.tokens.index(of: token("0x3", 0)))
        XCTAssertEqual(realm.objects(WalletToken.self).index(of: fetched), 1)
        XCTAssertEqual(wallet.tokens.where { $0.value > 2 }.index(of: fetched), 0)
        XCTAssertEqual(AnyRealmCollection(wallet.tokens).index(of: fetched), 1)
        XCTAssertEqual(Set(wallet.tokens).count, 2)
        let gone = wallet.tokens[0]
        try realm.write { realm.delete(gone) }
        XCTAssertNil(wallet.tokens.index(of: gone))
    }

    /// A class that only asks its superclass compares as it did.
    func testTheRuleOfTheSuperclass() throws {
        let realm = try openRealm()
        let wallet = Wallet()
        try realm.write { realm.add([wallet, Wallet()]) }
        let wallets = realm.objects(Wallet.self)
        XCTAssertNotEqual(wallets[0], wallets[1])
        XCTAssertEqual(wallet, wallet)
        XCTAssertEqual(wallets.index(of: wallet), 0)
        XCTAssertEqual(wallets[0].freeze(), wallets[0].freeze())
        XCTAssertEqual(wallets[0].freeze().hash, wallets[0].freeze().hash)
        XCTAssertNil(wallets.index(of: Wallet()))
    }
}
