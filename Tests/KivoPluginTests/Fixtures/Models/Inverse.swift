import Kivo

class Puppy: Object {
    @Persisted var name: String
    @Persisted(originProperty: "puppies") var owners: LinkingObjects<Keeper>
    @Persisted(originProperty: "favourite") var fans: LinkingObjects<Keeper>
    @Persisted(originProperty: "byName") var byName: LinkingObjects<Keeper>
    @Persisted(originProperty: "pupies") var missing: LinkingObjects<Keeper>  // error: has origin property 'pupies', which does not exist in class 'Keeper'; did you mean 'puppies'?
    @Persisted(originProperty: "cats") var wrong: LinkingObjects<Keeper>  // error: origin property 'Keeper.cats', which does not link to class 'Puppy'
    @Persisted(originProperty: "name") var text: LinkingObjects<Keeper>  // error: does not link to class 'Puppy'
    @Persisted(originProperty: "elsewhere") var unknown: LinkingObjects<ClassOfAnotherModule>
    let olderOwners = LinkingObjects(fromType: Keeper.self, property: "puppies")
    let olderMissing = LinkingObjects(fromType: Keeper.self, property: "pupies")  // error: has origin property 'pupies', which does not exist in class 'Keeper'; did you mean 'puppies'?
    @Persisted(originProperty: "conditional") var conditional: LinkingObjects<Partial>
}

class Kitten: Object { @Persisted var name: String }

class Living: Object { @Persisted var name: String }

class Keeper: Living {
    @Persisted var puppies: List<Puppy>
    @Persisted var favourite: Puppy?
    @Persisted var byName: Map<String, Puppy?>
    @Persisted var cats: MutableSet<Kitten>
}

class Partial: Object {
    #if canImport(Combine)
    @Persisted var conditional: List<Puppy>
    #endif
}
