import AppleFoundation
import Foundation
import KivoObserving

// Classes as applications write them on Apple's platforms, in one file with both imports: subclasses of `NSObject`, which
// Foundation observes, and other classes.

final class Track: NSObject {
    // Here `@objc dynamic`, which this compiler refuses.
    dynamic var title = ""
}

final class Playlist: KeyValueObservable {
    @Observed var name = ""
    @Observed var track: Track?
    @Observed var next: Playlist?
    var label: String { "\(name)!" }

    static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "label" ? ["name"] : []
    }
    static func computedProperties() -> [String: AnyKeyPath] { ["label": \Playlist.label] }
}

/// A class for the observers of both: `KeyValueObject` derives from nothing of Foundation's here.
final class Controller: KeyValueObject {
    @Observed var isPlaying = false
    private var foundationTokens: [NSKeyValueObservation] = []
    private var tokens: [KeyValueObservation] = []

    func observe(_ track: Track, _ playlist: Playlist) {
        foundationTokens.append(
            track.observe(\.title, options: [.new]) {
                (track: Track, change: NSKeyValueObservedChange<String>) in
                print(track.title, change.newValue ?? "")
            })
        tokens.append(
            playlist.observe(\.label, options: [.old, .new]) {
                (playlist: Playlist, change: KeyValueObservedChange<String>) in
                print(playlist.name, change.newValue ?? "")
            })
        tokens.append(playlist.observe(\.next?.name) { _, _ in })
        playlist.addObserver(self, forKeyPath: "name", options: [.new], context: nil)
        playlist.setValue("x", forKey: "name")
        playlist.willChangeValue(for: \.label)
        playlist.didChangeValue(for: \.label)
        addObserver(self, forKeyPath: "isPlaying", options: [.new], context: nil)
    }

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard keyPath != "name" else { return }
        super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
}

// One source for all platforms.
#if canImport(ObjectiveC)
typealias ObservedOperation = Operation
#else
typealias ObservedOperation = KeyValueOperation
#endif

final class Conversion: ObservedOperation, @unchecked Sendable {
    dynamic var pages = 0
}

func pages(of conversion: Conversion) -> NSKeyValueObservation {
    conversion.observe(\.pages, options: [.new]) { _, change in print(change.newValue ?? 0) }
}

func follow(_ playlist: Playlist) async {
    for await name in playlist.values(of: \.name) { print(name) }
}
