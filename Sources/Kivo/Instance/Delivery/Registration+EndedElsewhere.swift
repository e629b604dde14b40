extension Registration: EndedElsewhere {
    func letGo(_ instance: RealmInstance) { instance.listeners.remove(self, instance) }
}
