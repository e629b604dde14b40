/// What everything that belongs to a realm instance holds: it keeps the instance alive.
///
/// Other threads know an instance by weak references, and those make counting references slow for the object that they
/// refer to. This is that object; the instance itself, which is retained all the time, is never referred to weakly.
@usableFromInline
final class InstanceOwner {
    let instance: RealmInstance

    init(_ instance: RealmInstance) {
        self.instance = instance
        instance.attach(self)
    }
}

/// A write lasts until somebody on its thread ends it. Once the thread has ended nobody can any more, and everybody else would
/// wait for the writer's place for ever.
extension InstanceOwner: EndsWithThread {
    func threadEnds() {
        instance.giveUpWrite()
        instance.giveUpAsyncWork()
    }
}
