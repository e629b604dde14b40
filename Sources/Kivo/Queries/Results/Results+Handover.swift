extension Results {
    public var _handover: (Realm) -> Results? {
        let handedOver = state.handedOver
        return { realm in
            let state = handedOver(realm.instance)
            return state.isSourceGone ? nil : Results(state)
        }
    }
}
