import Foundation
import Kivo

class ProjectionCity: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var country = ""
}

class ProjectionAddress: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city = ""
    @Persisted var region: ProjectionCity?
}

class ProjectionPerson: Object {
    @Persisted var firstName = ""
    @Persisted var lastName = ""
    @Persisted var nickname: String?
    @Persisted var age = 0
    @Persisted var height = 1.5
    @Persisted var born = Date(timeIntervalSinceReferenceDate: 0)
    @Persisted var isShown = false
    @Persisted(indexed: true) var number = 0
    @Persisted var address: ProjectionAddress?
    @Persisted var home: ProjectionCity?
    @Persisted var friends: List<ProjectionPerson>
    @Persisted var family: MutableSet<ProjectionPerson>
    @Persisted var tags: List<String>
    @Ignored var mark = 0

    var fullName: String { "\(firstName) \(lastName)" }
    /// Looks like a property of its own, and is not.
    var shout: String {
        get { firstName.uppercased() }
        set { firstName = newValue.lowercased() }
    }
}

class ProjectionEmployee: ProjectionPerson {
    @Persisted var company = ""
    override var fullName: String { "\(super.fullName) of \(company)" }
}

class PersonCard: Projection<ProjectionPerson> {
    @Projected(\ProjectionPerson.firstName) var firstName
    @Projected(\ProjectionPerson.lastName.localizedUppercase) var lastNameCaps
    @Projected(\ProjectionPerson.lastName) var surname
    @Projected(\ProjectionPerson.lastName.count) var length
    @Projected(\ProjectionPerson.address?.city) var homeCity
    @Projected(\ProjectionPerson.friends.projectTo.firstName) var firstFriendsName:
        ProjectedCollection<String>
}

class PersonSheet: Projection<ProjectionPerson> {
    @Projected(\ProjectionPerson.firstName) var firstName
    @Projected(\ProjectionPerson.nickname) var nickname
    @Projected(\ProjectionPerson.age) var age
    @Projected(\ProjectionPerson.height) var height
    @Projected(\ProjectionPerson.born) var born
    @Projected(\ProjectionPerson.isShown) var isShown
    @Projected(\ProjectionPerson.number) var number
    @Projected(\ProjectionPerson.shout) var shout
    @Projected(\ProjectionPerson.fullName) var fullName
    @Projected(\ProjectionPerson.mark) var mark
    @Projected(\ProjectionPerson.address) var address
    @Projected(\ProjectionPerson.address!.street) var street
    @Projected(\ProjectionPerson.address?.region?.country) var country
    @Projected(\ProjectionPerson.home) var home
    @Projected(\ProjectionPerson.tags) var tags
    @Projected(\ProjectionPerson.family.projectTo.age) var ages: ProjectedCollection<Int>
}

/// A projection that adds to another, in a class of its own.
final class LongPersonCard: PersonCard, ObjectKeyIdentifiable {
    @Projected(\ProjectionPerson.age) var age
    let note = "not projected"
}

final class EmployeeCard: Projection<ProjectionEmployee> {
    @Projected(\ProjectionEmployee.firstName) var firstName
    @Projected(\ProjectionEmployee.company) var company
    @Projected(\ProjectionEmployee.fullName) var fullName
}
