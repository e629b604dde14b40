import Foundation
import Kivo

class PageDog: Object {
    @Persisted var name = ""
    @Persisted var favoriteToy = ""
    @Persisted var age: Int?
    @Persisted var siblings: List<PageDog>
    @Persisted var isPuppy = false
}

class PagePerson: Object {
    @Persisted var firstName = ""
    @Persisted var lastName = ""
    @Persisted var friends: List<PagePerson>
}

class PagePersonProjection: Projection<PagePerson> {
    @Projected(\PagePerson.firstName) var firstName
}

/// Another view of the same property.
class PagePersonOtherProjection: Projection<PagePerson> {
    @Projected(\PagePerson.firstName) var givenName
}

class PageDemoObject: Object {
    @Persisted var title = ""
    @Persisted var date = Date()
}

class PageTodo: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var owner = ""
    @Persisted var status = ""
}

/// The page's actor, which records the notifications that it receives.
actor PageBackgroundActor {
    private(set) var told: [String] = []
    private let configuration: Realm.Configuration

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func note(_ text: String) { told.append(text) }

    func deleteTodo(tsrToTodo tsr: ThreadSafeReference<PageTodo>) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let todoOnActor = realm.resolve(tsr)
            realm.delete(todoOnActor!)
        }
    }
}
