import Foundation

#if canImport(ObjectiveC)
/// The states of operations, of which Foundation learns by its own key-value observing.
@usableFromInline
enum OperationStates {
    @usableFromInline
    static func begin(_ operation: some KeyValueObservable) {}
}
#else
/// A registration by which Foundation learns of changes of a key path on which states of an operation depend.
final class StateRegistration: KeyValueRegistration {
    private let states: [String]

    init(_ path: WatchedKeyPath, _ states: [String]) {
        self.states = states
        super.init(path, [])
        isNotifiedLast = true
    }

    override func didChange(_ subject: AnyObject, _ kind: CollectionChangeKind, _ ticket: UInt32) {
        guard let operation = subject as? Operation else { return }
        for state in states { operation.notifyFoundation(ofState: state) }
    }
}

/// The states of operations that depend on other properties. Operation queues wait for them without being observers.
@usableFromInline
enum OperationStates {
    /// Registers for the key paths on which the states of an operation depend, unless that has been done. Called before each change
    /// of a property.
    @usableFromInline
    static func begin(_ operation: some KeyValueObservable) {
        begin(operation, ReflectedClass.of(operation))
    }

    private static func begin(_ operation: AnyObject, _ known: ReflectedClass) {
        guard known.declaresStates else { return }
        let observations = known.makeObservations(of: operation)
        if observations.announcesStates { return }
        // Rules and paths are code of the class, which does not run inside of a lock. A thread that comes here meanwhile registers, too:
        // its own change must not be missed. Foundation ignores what it knows already.
        let registrations = makeRegistrations(operation, known)
        for registration in registrations { observations.add(registration) }
        if observations.beginAnnouncingStates() { return }
        for registration in registrations { observations.remove(registration) }
    }

    private static func makeRegistrations(
        _ operation: AnyObject, _ known: ReflectedClass
    ) -> [StateRegistration] {
        var paths: [(path: WatchedKeyPath, states: [String])] = []
        for state in OperationState.announced {
            for path in known.dependencies(of: .key(state), nil, operation) {
                if let index = paths.firstIndex(where: { $0.path.text == path.text }) {
                    paths[index].states.append(state)
                } else {
                    paths.append((path, [state]))
                }
            }
        }
        return paths.map { StateRegistration($0.path, $0.states) }
    }
}
#endif
