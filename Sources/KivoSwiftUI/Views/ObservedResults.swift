#if canImport(SwiftUI)
import Kivo
import SwiftUI

/// A class whose objects `@ObservedResults` shows: a class of objects, or of projections of them. Do not conform other types to
/// it.
public protocol _ObservedResultsValue: RealmCollectionValue {}

extension Object: _ObservedResultsValue {}
extension Projection: _ObservedResultsValue {}

/// The results of a query. Their changes evaluate the view's body again.
///
///     @ObservedResults(Dog.self, where: { $0.age > 3 }, sortDescriptor: "name") var dogs
///
///     var body: some View {
///         List {
///             ForEach(dogs) { DogRow(dog: $0) }
///                 .onDelete(perform: $dogs.remove)
///         }
///         Button("Add") { $dogs.append(Dog()) }
///     }
///
/// The property reads frozen results, which do not change while SwiftUI compares them with the next ones. `$dogs` is a
/// ``BoundCollection``: it adds and deletes objects, each time in its own transaction or in the open one.
///
/// The realm is that of `configuration`, otherwise that of the environment's `realmConfiguration`, otherwise the default one. It
/// is opened when the results are first read, and belongs to the main actor.
///
/// The results follow the parent: a new filter, order or configuration in the declaration creates new results. Values assigned to
/// `$dogs.filter`, `$dogs.where` or `$dogs.sortDescriptor` hold until then.
@MainActor
@propertyWrapper public struct ObservedResults<ResultType>: DynamicProperty, BoundCollection
where ResultType: _ObservedResultsValue & RealmFetchable & Identifiable {
    @Environment(\.realmConfiguration) private var configuration
    @StateObject private var storage: ResultsStorage<ResultType>
    private let declaration: ResultsStorage<ResultType>.Declaration

    private init(_ declaration: ResultsStorage<ResultType>.Declaration) {
        let storage = ResultsStorage<ResultType>(declaration)
        _storage = StateObject(wrappedValue: storage)
        self.declaration = declaration
    }

    /// The frozen results.
    public var wrappedValue: Results<ResultType> { storage.shown }

    /// The property itself. It adds and deletes objects, and accepts another filter and order.
    public var projectedValue: Self { self }

    /// A predicate string in place of the declared condition, or nil for all objects. It cannot be read back.
    public var filter: PredicateString? {
        get { nil }
        nonmutating set { storage.filter = newValue?.condition }
    }

    /// A typed condition in place of the declared one, or nil for all objects. It cannot be read back.
    public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
        get { nil }
        nonmutating set { storage.filter = newValue.map { QueryCondition($0) } }
    }

    /// The key by which the results are sorted, or nil.
    public var sortDescriptor: Kivo.SortDescriptor? {
        get { storage.order.first }
        nonmutating set { storage.order = newValue.map { [$0] } ?? [] }
    }

    /// Shows the objects of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - configuration: The configuration of the realm; nil for the environment's configuration.
    ///   - filter: A predicate string that the objects satisfy.
    ///   - keyPaths: The key paths whose changes count; nil for all properties.
    ///   - sortDescriptor: The key to sort by.
    ///   - pacing: How often the view follows changes; a view that appears, or that is evaluated for another reason, shows the newest data.
    public init(
        _ type: ResultType.Type, configuration: Realm.Configuration? = nil, filter: PredicateString?,
        keyPaths: [String]? = nil, sortDescriptor: Kivo.SortDescriptor? = nil,
        pacing: Realm.Pacing = .everyTurn
    ) where ResultType: Object {
        self.init(
            .init(
                configuration: configuration, filter: filter?.condition,
                order: sortDescriptor.map { [$0] } ?? [], keyPaths: keyPaths, pacing: pacing))
    }

    /// Shows the objects of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - configuration: The configuration of the realm; nil for the environment's configuration.
    ///   - where: A typed condition that the objects satisfy.
    ///   - keyPaths: The key paths whose changes count; nil for all properties.
    ///   - sortDescriptor: The key to sort by.
    ///   - pacing: How often the view follows changes; a view that appears, or that is evaluated for another reason, shows the newest data.
    public init(
        _ type: ResultType.Type, configuration: Realm.Configuration? = nil,
        where isIncluded: ((Query<ResultType>) -> Query<Bool>)? = nil, keyPaths: [String]? = nil,
        sortDescriptor: Kivo.SortDescriptor? = nil,
        pacing: Realm.Pacing = .everyTurn
    ) where ResultType: Object {
        self.init(
            .init(
                configuration: configuration, filter: isIncluded.map { QueryCondition($0) },
                order: sortDescriptor.map { [$0] } ?? [], keyPaths: keyPaths, pacing: pacing))
    }

    /// Shows the objects of a class, with the key paths before the configuration.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - keyPaths: The key paths whose changes count; nil for all properties.
    ///   - configuration: The configuration of the realm.
    ///   - sortDescriptor: The key to sort by.
    ///   - pacing: How often the view follows changes; a view that appears, or that is evaluated for another reason, shows the newest data.
    public init(
        _ type: ResultType.Type, keyPaths: [String]?, configuration: Realm.Configuration?,
        sortDescriptor: Kivo.SortDescriptor? = nil,
        pacing: Realm.Pacing = .everyTurn
    ) where ResultType: Object {
        self.init(
            .init(
                configuration: configuration, order: sortDescriptor.map { [$0] } ?? [], keyPaths: keyPaths,
                pacing: pacing))
    }

    /// Shows the objects of a class as projections.
    ///
    /// - Parameters:
    ///   - type: The class of the projections.
    ///   - configuration: The configuration of the realm; nil for the environment's configuration.
    ///   - filter: A predicate string that the roots satisfy.
    ///   - keyPaths: The key paths of the roots whose changes count; nil for all that the projection shows.
    ///   - sortDescriptor: The key by which the roots are sorted.
    ///   - pacing: How often the view follows changes; a view that appears, or that is evaluated for another reason, shows the newest data.
    public init<Root: ObjectBase>(
        _ type: ResultType.Type, configuration: Realm.Configuration? = nil, filter: PredicateString? = nil,
        keyPaths: [String]? = nil, sortDescriptor: Kivo.SortDescriptor? = nil,
        pacing: Realm.Pacing = .everyTurn
    ) where ResultType: Projection<Root> {
        self.init(
            .init(
                configuration: configuration, filter: filter?.condition,
                order: sortDescriptor.map { [$0] } ?? [], keyPaths: keyPaths, pacing: pacing))
    }

    /// Adopts the declaration and the environment before the body is evaluated. Called by SwiftUI.
    nonisolated public func update() {
        MainActor.assumeIsolated { storage.update(declaration, environment: configuration) }
    }

    /// Excludes the objects whose property does not contain a text.
    func search<Root: ObjectBase>(_ text: String, _ keyPath: KeyPath<Root, String>) {
        storage.search(text, keyPath)
    }
}
#endif
