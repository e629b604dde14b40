import Kivo

/// A class of the tests of sections: values to sort and to put in sections by, and a link behind which the key can be.
class SectionsItem: Object {
    @Persisted var mark = 0
    @Persisted var value = 0
    @Persisted var name = ""
    @Persisted var note = ""
    @Persisted var ratio: Double?
    @Persisted var link: SectionsItem?
    @Persisted(originProperty: "link") var linkedBy: LinkingObjects<SectionsItem>
}

/// The owner of collections of the tests of sections.
class SectionsHolder: Object {
    @Persisted var items: List<SectionsItem>
    @Persisted var itemSet: MutableSet<SectionsItem>
    @Persisted var numbers: List<Int>
    @Persisted var numberSet: MutableSet<Int>
}
