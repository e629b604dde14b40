import Kivo
import Shared

class Reader: Named {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var shelves: [String]
    @Persisted var genre: Genre
    @Persisted var mood: Mood
}

enum Mood { case curious }

func reader() -> Reader { Reader(value: ["nmae": "x"]) }

func readers(_ realm: Realm) -> Results<Reader> { realm.objects(Reader.self).filter("nmae == 'x'") }

final class Shelves: KeyValueObservable { @Observed var count = 0 }
