extension RealmInstance {
    /// The listeners of the instance.
    var observers: ListenerRegistry {
        if let delivery { return unsafeDowncast(delivery, to: ListenerRegistry.self) }
        let made = ListenerRegistry()
        delivery = made
        return made
    }
}

extension Registration: EndedElsewhere {
    func letGo(_ instance: RealmInstance) { instance.observers.remove(self, instance) }
}
