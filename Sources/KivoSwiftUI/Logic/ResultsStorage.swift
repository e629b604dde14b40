import Kivo

/// The results of `@ObservedResults`, and of the sections of `@ObservedSectionedResults`.
///
/// The query has four sources: the declaration of the property, which a parent view repeats with each evaluation of its body; the
/// environment; the search field; and assignments to `$results.filter`, `$results.where` and `$results.sortDescriptor`. An
/// assignment holds until the declaration changes. Each change of a source creates new results. The realm is opened when the
/// results are first read.
@MainActor
package final class ResultsStorage<Element: RealmFetchable> {
    /// The query of a property's declaration: one instance for each evaluation of the parent view's body.
    package final class Declaration {
        /// The configuration of the realm; nil for the environment's configuration.
        let configuration: Realm.Configuration?
        let filter: QueryCondition?
        let order: [SortDescriptor]
        let keyPaths: [String]?
        /// How often the views are notified of changes.
        let pacing: Realm.Pacing

        package init(
            configuration: Realm.Configuration? = nil, filter: QueryCondition? = nil,
            order: [SortDescriptor] = [], keyPaths: [String]? = nil, pacing: Realm.Pacing = .everyTurn
        ) {
            (self.configuration, self.filter) = (configuration, filter)
            (self.order, self.keyPaths, self.pacing) = (order, keyPaths, pacing)
        }
    }

    nonisolated package let relay = ChangeRelay()
    private var declaration: Declaration
    private var environment: Realm.Configuration?
    private var search: (text: String, condition: QueryCondition)?
    private var results: Results<Element>?
    private var frozen = FrozenCache<Results<Element>>()
    private lazy var watch = makeWatch()

    /// The condition of the declaration, or the one that was assigned since. Setting it notifies the views.
    package var filter: QueryCondition? {
        didSet { if !Self.areKnownToBeEqual(oldValue, filter) { reset(notifying: .now) } }
    }

    /// The order of the declaration, or the one that was assigned since. Setting it notifies the views.
    package var order: [SortDescriptor] {
        didSet { if oldValue != order { reset(notifying: .now) } }
    }

    package init(_ declaration: Declaration) {
        self.declaration = declaration
        filter = declaration.filter
        order = declaration.order
        relay.demandChanged = { [weak self] isNeeded in
            guard let self else { return }
            if isNeeded { self.results.map { self.watch.begin($0) } } else { self.watch.end() }
        }
    }

    private static var kind: ValueKind<Results<Element>> {
        .collection { fatalError("Results have no empty form.") }
    }

    private func makeWatch() -> ChangeWatch<Results<Element>> {
        ChangeWatch(Self.kind, keyPaths: declaration.keyPaths, pacing: declaration.pacing) {
            [weak self] event in self?.handle(event)
        }
    }

    private static func areKnownToBeEqual(_ a: QueryCondition?, _ b: QueryCondition?) -> Bool {
        switch (a, b) {
        case (nil, nil): true
        case (let a?, let b?): a == b
        default: false
        }
    }

    // MARK: What is asked

    /// The configuration with which the realm is opened.
    package var configuration: Realm.Configuration {
        declaration.configuration ?? environment ?? .defaultConfiguration
    }

    /// Adopts the query of a declaration before its view's body is evaluated.
    ///
    /// The views are not notified, because the body is about to read the results.
    package func update(_ new: Declaration, environment: Realm.Configuration) {
        let (old, oldConfiguration) = (declaration, configuration)
        declaration = new
        self.environment = environment
        var isAnother = configuration != oldConfiguration
        if old !== new, !Self.areKnownToBeEqual(old.filter, new.filter) {
            isReplacing { filter = new.filter }
            isAnother = true
        }
        if old.order != new.order {
            isReplacing { order = new.order }
            isAnother = true
        }
        if old.keyPaths != new.keyPaths || old.pacing != new.pacing {
            watch.end()
            watch = makeWatch()
            isAnother = true
        }
        if isAnother { reset(notifying: .nobody) }
        watchIfNowPossible()
    }

    private var isBeingReplaced = false

    private func isReplacing(_ body: () -> Void) {
        isBeingReplaced = true
        body()
        isBeingReplaced = false
    }

    /// Excludes the elements whose property does not contain a text; an empty text excludes none.
    ///
    /// It is called while a body is evaluated, whose views already show the previous results: the views are notified at the next
    /// turn.
    package func search<Root: ObjectBase>(_ text: String, _ keyPath: KeyPath<Root, String>) {
        if text == search?.text ?? "" { return }
        search =
            text.isEmpty
            ? nil
            : (
                text,
                QueryCondition { (query: Query<Root>) in query[dynamicMember: keyPath].contains(text) }
            )
        reset(notifying: .soon)
    }

    // MARK: The answer

    private enum Notification { case now, soon, nobody }

    private func reset(notifying: Notification) {
        if isBeingReplaced || results == nil { return }
        results = nil
        frozen.removeAll()
        watch.end()
        switch notifying {
        case .now: relay.send()
        case .soon: relay.sendSoon()
        case .nobody: break
        }
    }

    /// The live results.
    package var live: Results<Element> {
        if let results, !results.isInvalidated { return results }
        let realm: Realm
        do {
            realm = try Realm(configuration: configuration)
        } catch {
            fatalError(
                """
                The realm of a SwiftUI view could not be opened: \(error). '@AutoOpen' opens it, and tells the view \
                what went wrong.
                """)
        }
        var fresh = realm.objects(Element.self)
        if let search { fresh = fresh.filter(search.condition) }
        if let filter { fresh = fresh.filter(filter) }
        if !order.isEmpty { fresh = fresh.sorted(by: order) }
        results = fresh
        watch.end()
        watchIfNowPossible()
        return fresh
    }

    /// The results for views: frozen, once for each version.
    package var shown: Results<Element> { frozen.frozenForm(of: live) }

    private func watchIfNowPossible() {
        if relay.hasSubscribers, !watch.isRunning, let results { watch.begin(results) }
    }

    private func handle(_ event: ValueKind<Results<Element>>.Event) {
        // No later call reports a change between the evaluation of the body and the first call.
        if event == .initial, let results, !frozen.isOutdated(results) { return }
        frozen.removeAll()
        relay.send()
    }
}

/// A predicate string with its arguments, as a filter of `@ObservedResults` and `@ObservedSectionedResults`.
///
///     @ObservedResults(Dog.self, filter: "age > 3") var dogs
///     $dogs.filter = PredicateString("name BEGINSWITH[c] %@", text)
///
/// It replaces realm-swift's `NSPredicate`, which most platforms cannot parse. The language is that of
/// `RealmCollection.filter(_:_:)`.
public struct PredicateString: ExpressibleByStringLiteral, CustomStringConvertible {
    /// The predicate string, with placeholders for the arguments.
    public let description: String
    package let condition: QueryCondition

    /// Creates a predicate string with arguments for its placeholders.
    ///
    /// - Precondition: The string is well-formed.
    public init(_ format: String, _ arguments: Any...) {
        description = format
        condition = QueryCondition(format, arguments: arguments)
    }

    /// Creates a predicate string without arguments.
    ///
    /// - Precondition: The string is well-formed.
    public init(stringLiteral value: String) { self.init(value) }
}
