#if canImport(SwiftUI)
import Foundation
import Kivo
import SwiftUI

/// The results of a query in sections. Their changes evaluate the view's body again.
///
///     @ObservedSectionedResults(Dog.self, sectionKeyPath: \.breed) var breeds
///
///     var body: some View {
///         List {
///             ForEach(breeds) { breed in
///                 Section(breed.key) {
///                     ForEach(breed) { DogRow(dog: $0) }
///                         .onDelete { $breeds.remove(atOffsets: $0, section: breed) }
///                 }
///             }
///         }
///     }
///
/// The property reads frozen sections. Otherwise it behaves like ``ObservedResults``.
@MainActor
@propertyWrapper
public struct ObservedSectionedResults<Key: _Persistable & Hashable, ResultType>:
    DynamicProperty, BoundCollection
where ResultType: _ObservedResultsValue & RealmFetchable & Identifiable {
    @Environment(\.realmConfiguration) private var configuration
    @StateObject private var storage: SectionedStorage<Key, ResultType>
    private let declaration: ResultsStorage<ResultType>.Declaration

    private init(
        _ keys: SectionDivision<Key, ResultType>, _ configuration: Realm.Configuration?,
        _ filter: QueryCondition?, _ order: [Kivo.SortDescriptor], _ keyPaths: [String]?,
        _ pacing: Realm.Pacing
    ) {
        let declaration = ResultsStorage<ResultType>.Declaration(
            configuration: configuration, filter: filter, order: keys.order(order), keyPaths: keyPaths,
            pacing: pacing)
        let storage = SectionedStorage(ResultsStorage<ResultType>(declaration), keys)
        _storage = StateObject(wrappedValue: storage)
        self.declaration = declaration
    }

    /// The frozen sections.
    public var wrappedValue: SectionedResults<Key, ResultType> { storage.shown }

    /// The property itself. It deletes objects, and accepts another filter and order.
    public var projectedValue: Self { self }

    /// A predicate string in place of the declared condition, or nil for all objects. It cannot be read back.
    public var filter: PredicateString? {
        get { nil }
        nonmutating set { storage.results.filter = newValue?.condition }
    }

    /// A typed condition in place of the declared one, or nil for all objects. It cannot be read back.
    public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
        get { nil }
        nonmutating set { storage.results.filter = newValue.map { QueryCondition($0) } }
    }

    /// The keys by which the elements are sorted. The first one makes the elements of a section contiguous.
    public var sortDescriptors: [Kivo.SortDescriptor] {
        get { storage.results.order }
        nonmutating set { storage.results.order = storage.keys.order(newValue) }
    }

    /// Deletes elements at positions of a section, for use in `onDelete(perform:)`.
    public func remove(atOffsets offsets: IndexSet, section: ResultsSection<Key, ResultType>) {
        SectionedStorage.remove(atOffsets: Array(offsets), of: section)
    }

    /// Shows the objects of a class in sections of equal values of a property.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - sectionKeyPath: The property whose value is the key of a section. It can be computed from a single persisted property.
    ///   - sortDescriptors: The order of the objects; that of the property if there is none.
    ///   - filter: A predicate string that the objects satisfy.
    ///   - keyPaths: The key paths whose changes count; nil for all properties.
    ///   - configuration: The configuration of the realm; nil for the environment's configuration.
    ///   - pacing: How often the view follows changes; a view that appears, or that is evaluated for another reason, shows the newest data.
    public init(
        _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
        sortDescriptors: [Kivo.SortDescriptor] = [], filter: PredicateString?, keyPaths: [String]? = nil,
        configuration: Realm.Configuration? = nil,
        pacing: Realm.Pacing = .everyTurn
    ) where ResultType: Object {
        self.init(
            .property(sectionKeyPath), configuration, filter?.condition, sortDescriptors, keyPaths, pacing)
    }

    /// Shows the objects of a class in sections of equal values of a property.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - sectionKeyPath: The property whose value is the key of a section. It can be computed from a single persisted property.
    ///   - sortDescriptors: The order of the objects; that of the property if there is none.
    ///   - where: A typed condition that the objects satisfy.
    ///   - keyPaths: The key paths whose changes count; nil for all properties.
    ///   - configuration: The configuration of the realm; nil for the environment's configuration.
    ///   - pacing: How often the view follows changes; a view that appears, or that is evaluated for another reason, shows the newest data.
    public init(
        _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
        sortDescriptors: [Kivo.SortDescriptor] = [],
        where isIncluded: ((Query<ResultType>) -> Query<Bool>)? = nil, keyPaths: [String]? = nil,
        configuration: Realm.Configuration? = nil,
        pacing: Realm.Pacing = .everyTurn
    ) where ResultType: Object {
        self.init(
            .property(sectionKeyPath), configuration, isIncluded.map { QueryCondition($0) }, sortDescriptors,
            keyPaths, pacing)
    }

    /// Shows the objects of a class in sections of equal keys.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - sectionBlock: Returns the key of an object's section.
    ///   - sortDescriptors: The order of the objects, which the sections follow; at least one key.
    ///   - filter: A predicate string that the objects satisfy.
    ///   - keyPaths: The key paths whose changes count; nil for all properties.
    ///   - configuration: The configuration of the realm; nil for the environment's configuration.
    ///   - pacing: How often the view follows changes; a view that appears, or that is evaluated for another reason, shows the newest data.
    public init(
        _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key,
        sortDescriptors: [Kivo.SortDescriptor], filter: PredicateString?, keyPaths: [String]? = nil,
        configuration: Realm.Configuration? = nil,
        pacing: Realm.Pacing = .everyTurn
    ) where ResultType: Object {
        self.init(.block(sectionBlock), configuration, filter?.condition, sortDescriptors, keyPaths, pacing)
    }

    /// Shows the objects of a class in sections of equal keys.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - sectionBlock: Returns the key of an object's section.
    ///   - sortDescriptors: The order of the objects, which the sections follow; at least one key.
    ///   - where: A typed condition that the objects satisfy.
    ///   - keyPaths: The key paths whose changes count; nil for all properties.
    ///   - configuration: The configuration of the realm; nil for the environment's configuration.
    ///   - pacing: How often the view follows changes; a view that appears, or that is evaluated for another reason, shows the newest data.
    public init(
        _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key,
        sortDescriptors: [Kivo.SortDescriptor],
        where isIncluded: ((Query<ResultType>) -> Query<Bool>)? = nil, keyPaths: [String]? = nil,
        configuration: Realm.Configuration? = nil,
        pacing: Realm.Pacing = .everyTurn
    ) where ResultType: Object {
        self.init(
            .block(sectionBlock), configuration, isIncluded.map { QueryCondition($0) }, sortDescriptors,
            keyPaths, pacing)
    }

    /// Shows projections in sections of equal values of a property.
    ///
    /// - Parameters:
    ///   - type: The class of the projections.
    ///   - sectionKeyPath: The property of the projection whose value is the key of a section. It shows one property of the root.
    ///   - sortDescriptors: The order of the roots; that of the property if there is none.
    ///   - filter: A predicate string that the roots satisfy.
    ///   - keyPaths: The key paths of the roots whose changes count; nil for all that the projection shows.
    ///   - configuration: The configuration of the realm; nil for the environment's configuration.
    ///   - pacing: How often the view follows changes; a view that appears, or that is evaluated for another reason, shows the newest data.
    public init<Root: ObjectBase>(
        _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
        sortDescriptors: [Kivo.SortDescriptor] = [], filter: PredicateString? = nil,
        keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil,
        pacing: Realm.Pacing = .everyTurn
    ) where ResultType: Projection<Root> {
        self.init(
            .shown(sectionKeyPath), configuration, filter?.condition, sortDescriptors, keyPaths, pacing)
    }

    /// Shows projections in sections of equal keys.
    ///
    /// - Parameters:
    ///   - type: The class of the projections.
    ///   - sectionBlock: Returns the key of a projection's section.
    ///   - sortDescriptors: The order of the roots, which the sections follow; at least one key.
    ///   - filter: A predicate string that the roots satisfy.
    ///   - keyPaths: The key paths of the roots whose changes count; nil for all that the projection shows.
    ///   - configuration: The configuration of the realm; nil for the environment's configuration.
    ///   - pacing: How often the view follows changes; a view that appears, or that is evaluated for another reason, shows the newest data.
    public init<Root: ObjectBase>(
        _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key,
        sortDescriptors: [Kivo.SortDescriptor], filter: PredicateString? = nil, keyPaths: [String]? = nil,
        configuration: Realm.Configuration? = nil,
        pacing: Realm.Pacing = .everyTurn
    ) where ResultType: Projection<Root> {
        self.init(.block(sectionBlock), configuration, filter?.condition, sortDescriptors, keyPaths, pacing)
    }

    /// Adopts the declaration and the environment before the body is evaluated. Called by SwiftUI.
    nonisolated public func update() {
        MainActor.assumeIsolated { storage.results.update(declaration, environment: configuration) }
    }

    /// Excludes the objects whose property does not contain a text.
    func search<Root: ObjectBase>(_ text: String, _ keyPath: KeyPath<Root, String>) {
        storage.results.search(text, keyPath)
    }
}
#endif
