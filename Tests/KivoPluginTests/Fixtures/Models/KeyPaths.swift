import Kivo

class Track: Object {
    @Persisted var title: String
    @Persisted var length: Double
    @Persisted var album: Album?
    @Persisted var tags: List<String>
    @Persisted var notes: Map<String, String>
    @Persisted var extra: AnyRealmValue
    var played = false  // note: property 'Track.played' is a 'var' and has no '@Persisted', so that it is not stored
}

class Album: Object {
    @Persisted var title: String
    @Persisted var year: Int
    @Persisted var tracks: List<Track>
    @Persisted(originProperty: "albums") var artists: LinkingObjects<Artist>

    func long() -> Results<Track> { tracks.filter("lenght > 5") }  // error: class 'Track' has no property 'lenght'; did you mean 'length'?
    func mine() { _ = observe(keyPaths: ["yaer"]) { _ in } }  // error: class 'Album' has no property 'yaer'; did you mean 'year'?
}

class Artist: Object {
    @Persisted var name: String
    @Persisted var albums: List<Album>
}

class Card: Projection<Track> {
    @Projected(\Track.title) var heading
    @Projected(\Track.album?.title) var albumTitle
}

func reading(_ realm: Realm, _ given: Results<Album>, _ anything: Something, count: Int) {
    let tracks = realm.objects(Track.self)
    _ = tracks.filter("title BEGINSWITH[c] 'length' AND album.year > %@", 1970)
    _ = tracks.filter("titel == 'x'")  // error: class 'Track' has no property 'titel'; did you mean 'title'?
    _ = tracks.filter("album.yearr == 3")  // error: class 'Album' has no property 'yearr'; did you mean 'year'?
    _ = tracks.filter("title.length > 3")  // error: which has no property 'length' that key paths can name
    _ = tracks.filter("ANY tags IN {'a', \"b\"} OR notes['key'] = 'x' OR extra.a.b = 1 OR tags.@count > 0")
    _ = tracks.filter("album.tracks.@avg.length < %K", "length")
    _ = tracks.filter("SUBQUERY(album.tracks, $t, $t.nothing == 1).@count > 2")
    _ = tracks.filter("@links.Album.tracks.title == 'x' AND self != NULL AND NOT (title IN %@)", [1])
    _ = tracks.filter("#title ENDSWITH 'x' && length BETWEEN {1, 2} || TRUEPREDICATE")
    _ = tracks.where { $0.title == "x" }.sorted(byKeyPath: "album.titel")  // error: class 'Album' has no property 'titel'
    _ = tracks.sorted(byKeyPath: "length").first?.album?.tracks.sorted(byKeyPath: "length", ascending: false)
    _ = tracks[0].album?.tracks.filter("year > 3")  // error: class 'Track' has no property 'year'
    _ = tracks.distinct(by: ["title", "albun.year"])  // error: class 'Track' has no property 'albun'; did you mean 'album'?
    _ = tracks.sum(ofProperty: "lengths") as Double  // error: did you mean 'length'?
    _ = tracks.observe(keyPaths: ["title", "album.artists.name", "album.artists.nam"]) { _ in }  // error: class 'Artist' has no property 'nam'
    _ = tracks.observe(keyPaths: [\Track.title]) { _ in }
    _ = given.filter("artists.@count > 0 AND artists.nmae == 'x'")  // error: class 'Artist' has no property 'nmae'
    _ = anything.filter("heigth > 3")  // warning: no class has a property 'heigth'
    _ = anything.filter("year > 3")
    _ = anything.filter("no predicate")
    _ = anything.sorted(byKeyPath: "lengt")  // warning: no class has a property 'lengt'; did you mean 'length'?
    _ = realm.objects(Card.self).observe(keyPaths: ["heading"]) { _ in }
    _ = realm.objects(Card.self).observe(keyPaths: ["headin"]) { _ in }  // warning: no class has a property 'headin'
    if let track = tracks.first, let record = track.album {
        _ = record.observe(keyPaths: ["tracks.played"]) { _ in }
        _ = "\(record.tracks.filter("titles = ''").count)"  // error: class 'Track' has no property 'titles'
    }
    for album in given { _ = album.tracks.index(matching: "z == 1") }  // error: class 'Track' has no property 'z'
    for one in given { _ = one.tracks.index(matching: "x == 1") }  // error: class 'Track' has no property 'x'
    _ = realm.objects(Track.self).filter(
        """
        title == 'a'
          AND lenght > 3
        """)  // error -1: class 'Track' has no property 'lenght'
    let dynamic = "title"
    _ = tracks.filter("\(dynamic) == 3").filter(dynamic)
}
