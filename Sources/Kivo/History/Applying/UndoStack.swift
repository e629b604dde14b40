import Foundation
import KivoEngine

/// The writes that can be undone, and those that were undone and can be done again.
///
///     let undo = realm.undoStack(of: [Order.self, Line.self])
///     try undo.write("Add a line") { order.lines.append(line) }
///     try undo.undo()
///     try undo.redo()
///
/// Each write of ``write(_:author:_:)`` is one step: a change set of what it changed in the objects of some classes. Undoing a step is a
/// write of its own, which observers are notified of. Each property is compared with the value that it takes away: what others changed
/// meanwhile is not overwritten, but reported as a conflict. So there can be several stacks of one realm, also in several processes, and
/// other writes in between.
///
/// Objects that come back keep their primary keys; those of classes without one are new objects, which the other steps of this stack
/// then refer to.
///
/// Confined with its realm instance, which it retains.
public final class UndoStack {
    private struct Step {
        var label: String?
        var changes: ChangeSet
    }

    private let realm: Realm
    /// The stored names of the classes whose changes are undone; nil for all.
    private let classNames: Set<String>?
    private var undoSteps: [Step] = []
    private var redoSteps: [Step] = []

    /// The number of steps that can be undone at most; the oldest ones are forgotten.
    ///
    /// The default is 100.
    public var limit = 100 {
        didSet { forgetOldest() }
    }

    init(_ realm: Realm, _ classNames: Set<String>?) { (self.realm, self.classNames) = (realm, classNames) }

    /// The number of steps that can be undone.
    public var undoCount: Int { undoSteps.count }
    /// The number of steps that can be done again.
    public var redoCount: Int { redoSteps.count }
    /// The label of the step that is undone next; nil if it has none, or there is none.
    public var undoLabel: String? { undoSteps.last?.label }
    /// The label of the step that is done again next; nil if it has none, or there is none.
    public var redoLabel: String? { redoSteps.last?.label }

    /// Runs a block in a write transaction, commits it, and adds what it changed as a step. Steps that could be done again are
    /// forgotten.
    ///
    /// A write that changes none of the stack's classes adds no step, and neither does one that the block itself commits or cancels.
    ///
    /// - Parameters:
    ///   - label: A short description of the change, which the commit has too; nil for none.
    ///   - author: The part of the program, or the person, that makes the change.
    ///   - block: The changes.
    /// - Throws: The errors of ``Realm/write(withoutNotifying:_:)``. There is no step then.
    /// - Precondition: No write transaction is open.
    @discardableResult
    public func write<Result>(
        _ label: String? = nil, author: String? = nil, _ block: () throws -> Result
    ) throws -> Result {
        try recording {
            realm.labelWrite(label, author: author)
            return try block()
        } step: { changes in
            // Before the commit, whose observers may add the next steps.
            redoSteps = []
            add(label, changes, to: \.undoSteps)
            forgetOldest()
        }
    }

    /// Undoes the last step.
    ///
    /// - Parameter policy: The resolution of conflicts with what was changed meanwhile.
    /// - Returns: The outcome; nil if there is no step.
    /// - Throws: The errors of ``Realm/apply(_:conflicts:)``, above all ``ChangeSet/ConflictError``. Nothing is undone then.
    /// - Precondition: No write transaction is open.
    @discardableResult
    public func undo(conflicts policy: ChangeSet.ConflictPolicy = .throw) throws -> ChangeSet.Report? {
        try take(from: \.undoSteps, to: \.redoSteps, "Undo", policy)
    }

    /// Does the step again that was undone last.
    ///
    /// - Parameter policy: The resolution of conflicts with what was changed meanwhile.
    /// - Returns: The outcome; nil if there is no step.
    /// - Throws: The errors of ``Realm/apply(_:conflicts:)``. Nothing is done then.
    /// - Precondition: No write transaction is open.
    @discardableResult
    public func redo(conflicts policy: ChangeSet.ConflictPolicy = .throw) throws -> ChangeSet.Report? {
        try take(from: \.redoSteps, to: \.undoSteps, "Redo", policy)
    }

    /// Forgets all steps.
    public func removeAll() { (undoSteps, redoSteps) = ([], []) }

    private func take(
        from source: ReferenceWritableKeyPath<UndoStack, [Step]>,
        to destination: ReferenceWritableKeyPath<UndoStack, [Step]>, _ verb: String,
        _ policy: ChangeSet.ConflictPolicy
    ) throws -> ChangeSet.Report? {
        guard let step = self[keyPath: source].popLast() else { return nil }
        do {
            return try recording {
                realm.labelWrite(step.label.map { "\(verb): \($0)" } ?? verb)
                let report = try ChangeApplier.apply(
                    step.changes.inverse, to: realm, policy, sharesKeys: true)
                rename(report.newObjects)
                return report
            } step: { changes in
                // The real changes, which conflicts may have reduced.
                add(step.label, changes, to: destination)
            }
        } catch {
            self[keyPath: source].append(step)
            throw error
        }
    }

    private func add(
        _ label: String?, _ changes: ChangeSet, to steps: ReferenceWritableKeyPath<UndoStack, [Step]>
    ) {
        self[keyPath: steps].append(Step(label: label, changes: changes))
    }

    /// Makes the other steps refer to objects that came back with other keys.
    private func rename(_ objects: [ChangeSet.ObjectID: ChangeSet.ObjectID]) {
        if objects.isEmpty { return }
        for index in undoSteps.indices {
            undoSteps[index].changes = undoSteps[index].changes.renaming(objects)
        }
        for index in redoSteps.indices {
            redoSteps[index].changes = redoSteps[index].changes.renaming(objects)
        }
    }

    /// Runs a block in a write transaction.
    ///
    /// - Parameter addStep: Called before the commit with what was changed in the stack's classes, unless it is nothing, or the block has
    ///   ended the write itself.
    private func recording<Result>(
        _ block: () throws -> Result, step addStep: (ChangeSet) -> Void
    ) throws -> Result {
        let before = (undoSteps, redoSteps)
        do {
            return try realm.write {
                let result = try block()
                guard let transaction = realm.instance.transaction else { return result }
                let all = ChangeSetBuilder.changeSet(
                    transaction.changeSet(), from: transaction.base, to: transaction.snapshot,
                    transaction.catalog, lineage: realm.instance.store.lineage)
                let changes = classNames.map(all.restricted(toClasses:)) ?? all
                if !changes.isEmpty { addStep(changes) }
                return result
            }
        } catch {
            // Without a commit no observer ran that could have added steps.
            (undoSteps, redoSteps) = before
            throw error
        }
    }

    private func forgetOldest() {
        if undoSteps.count > max(0, limit) { undoSteps.removeFirst(undoSteps.count - max(0, limit)) }
    }
}

@available(*, unavailable)
extension UndoStack: Sendable {}

extension Realm {
    /// Returns a new stack of writes that can be undone.
    ///
    /// - Parameter types: The classes whose changes are undone; nil for all classes. Changes of others by the same write stay.
    public func undoStack(of types: [Object.Type]? = nil) -> UndoStack {
        instance.checkConfinement()
        return UndoStack(self, types.map { Set($0.map { $0.className() }) })
    }
}
