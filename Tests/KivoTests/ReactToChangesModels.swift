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
