import Foundation
import Kivo

// The library of a podcast player.

enum DownloadState: Int, PersistableEnum {
    case none, waiting, loading, done
}

class Podcast: Object {
    @Persisted(primaryKey: true) var feed = ""
    @Persisted(indexed: true) var title = ""
    @Persisted var author: String?
    @Persisted var artwork: Data? = nil
    @Persisted var subscribedAt = Date()
    @Persisted var episodes: List<Episode>
    @Persisted var tags: List<String>

    /// How many were not heard yet.
    var unheard: Int { episodes.filter("position == 0 AND state != %d", DownloadState.done.rawValue).count }
}

class Episode: Object {
    @Persisted(primaryKey: true) var guid = UUID().uuidString
    @Persisted var title = ""
    @Persisted var length: Double = 0
    /// Where to go on, in seconds.
    @Persisted var position = 0.0
    @Persisted var state = DownloadState.none
    @Persisted var chapter: Chapter?
    @Persisted private var note: String? = nil
    @Ignored var isSelected = false
    @Persisted var rating: Int?
    @Persisted(originProperty: "episodes") var podcasts: LinkingObjects<Podcast>
    var player: AnyObject?

    convenience init(title: String, length: Double) {
        self.init()
        self.title = title
        self.length = length
    }

    func rate(_ stars: Int) {
        rating = max(rating ?? 0, stars)
        note = "rated"
    }
}

class Chapter: EmbeddedObject {
    @Persisted var title = ""
    @Persisted var start = 0.0
}

struct PodcastLibrary {
    let realm: Realm

    func recent(since date: Date) -> Results<Podcast> {
        realm.objects(Podcast.self)
            .filter("subscribedAt > %@", date)
            .sorted(byKeyPath: "title")
    }

    func loved() -> [Episode] {
        realm.objects(Episode.self).filter("rating >= 4").filter { ($0.rating ?? 0) >= 4 }
    }

    func watch(_ podcast: Podcast, _ told: @escaping (String) -> Void) -> NotificationToken {
        podcast.observe { change in
            guard case .change(_, let properties) = change else { return }
            told(properties.map { $0.name }.joined(separator: ","))
        }
    }
}

/// What plays, for the controls that observe it.
class PodcastPlayer: KeyValueObservable {
    @Observed var rate: Float = 1
    @Observed var elapsed = 0.0
    @Observed private(set) var isPlaying = false
    @Observed var queue: [String] = []
    var summary: String { "\(queue.count) at \(rate)x" }

    class func computedProperties() -> [String: AnyKeyPath] { ["summary": \PodcastPlayer.summary] }

    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "summary" ? ["queue", "rate"] : []
    }

    func toggle() { isPlaying.toggle() }
}
