import Foundation
import KivoObserving
import XCTest

/// Classes that Cocoa observed, as kivo-adopt rewrites them: observers receive what they received in Cocoa.
final class AdoptedPlayersTests: XCTestCase {
    func testSettersAnnounceOnce() {
        let player = Player()
        var seen: [String] = []
        let tokens = [
            player.observe(\.volume, options: [.old, .new]) {
                seen.append("\($1.oldValue!) → \($1.newValue!)")
            },
            player.observe(\.rate, options: .new) { seen.append("rate \($1.newValue!)") },
            player.observe(\.source, options: .new) { seen.append("source \($1.newValue!)") },
        ]
        player.volume = 7
        player.rate = 2
        player.rate = 2
        player.source = "disc"
        tokens.forEach { $0.invalidate() }
        // The clamp is in the setter: observers see its result alone.
        XCTAssertEqual(seen, ["0.5 → 1.0", "rate 2.0", "source disc"])
    }

    func testObserversByName() {
        let (player, watcher) = (Radio(), Watcher())
        let keys = ["volume", "summary", "loudness", "name"]
        for key in keys { player.addObserver(watcher, forKeyPath: key, options: [], context: nil) }
        player.setValue(0.25, forKey: "volume")
        player.track = Track(title: "Song")
        player.position = 4
        player.station = "One"
        for key in keys { player.removeObserver(watcher, forKeyPath: key) }
        XCTAssertEqual(watcher.seen, ["volume", "loudness", "summary", "summary", "name"])
        XCTAssertEqual(player.value(forKey: "summary") as? String, "Song at 4")
        XCTAssertEqual(player.value(forKeyPath: "track.title") as? String, "Song")
    }

    /// The extension's setter sets the property on which it depends, so that it notifies twice, as in Cocoa.
    func testASetterThatSetsADependency() {
        let player = Player()
        var seen: [Int] = []
        let token = player.observe(\.loudness, options: .new) { seen.append($1.newValue!) }
        player.loudness = 20
        token.invalidate()
        XCTAssertEqual(seen, [20, 20])
    }

    func testCallsOfSuperStay() {
        let settings = Settings()
        let player = Player()
        player.addObserver(settings, forKeyPath: "volume", options: [], context: nil)
        player.volume = 0.1
        player.removeObserver(settings, forKeyPath: "volume")
        XCTAssertEqual(settings.value(forKey: "handled") as? Int, 1)
    }

    @MainActor func testAClassOfTheMainActor() {
        let page = PlayerPage()
        var seen: [String] = []
        let token = page.observe(\.subheading, options: .new) { seen.append($1.newValue!) }
        page.subheading = "Loud"
        token.invalidate()
        XCTAssertEqual(seen, ["loud"])
        XCTAssertEqual(page.value(forKey: "heading") as? String, "Loud")
    }
}
