import KivoEngine

/// A number that is computed from the elements of a result.
enum NumberKind: Hashable {
    /// The number of elements.
    case count
    /// Whether there are no elements.
    case isEmpty
    /// A function of a property of the elements, or of plain values if the property is `"self"`.
    case aggregate(QueryPath.Function, String)

    /// The name of the number, for the developer of the program.
    var name: String {
        switch self {
        case .count: "count"
        case .isEmpty: "isEmpty"
        case .aggregate(let function, let property): "\(function.rawValue)(\(property))"
        }
    }
}

/// The view of one listener of a number.
struct NumberView {
    let fold: any NumberFold
    let maintained: MaintainedFold

    /// Evaluates a number in the realm's current state.
    init(_ query: QueryState, _ number: NumberState, _ dependencies: Dependencies) {
        fold = number.makeFold()
        maintained = MaintainedFold(query, into: fold, dependencies)
    }
}

/// How a number of a result is computed, and the views of its listeners. The query state owns it, and the results that share the
/// query state share it. Confined with the realm instance.
final class NumberState {
    let kind: NumberKind
    /// The type in which the aggregated values are stored; nil if the elements themselves are counted.
    let type: ScalarType?
    private let path: ResolvedPath?
    /// The views of listeners, which are read instead of an evaluation.
    var listenedViews = ListenedViews<NumberView>()
    /// The object that records reads of the number inside `withObservationTracking`.
    weak var trackedResult: AnyObject?
    private var answer: (stamp: QueryState.Stamp, cell: Cell)?

    init(_ kind: NumberKind, _ query: QueryState) {
        self.kind = kind
        guard case .aggregate(let function, let property) = kind else {
            (type, path) = (nil, nil)
            return
        }
        (type, path) = query.values(function, property)
    }

    /// Returns the dependencies of the number of a result.
    func dependencies(_ query: QueryState) -> Dependencies {
        let instance = query.instance
        return instance.listeners.filters.dependencies(
            query.query.unordered, instance.catalog, reading: path.map { [$0] } ?? [])
    }

    func makeFold() -> any NumberFold {
        guard case .aggregate(let function, _) = kind, let type else { return SumFold() }
        switch function {
        case .min, .max: return ExtremumFold(function.engine, of: path, type.order)
        case .count, .sum, .average: return SumFold(function.engine, of: path, type.order, type.arithmetic)
        }
    }

    /// Returns whether observers need not be notified that one result became another.
    func areSame(_ a: Cell, _ b: Cell) -> Bool {
        kind == .isEmpty ? (a == .word(0)) == (b == .word(0)) : ScalarType.areSame(a, b, type)
    }

    /// Returns the current result.
    func cell(_ query: QueryState) -> Cell {
        let instance = query.instance
        instance.checkConfinement { "a live number" }
        if query.isSourceGone { return makeFold().result }
        if let listened = listened(instance) { return listened }
        if let answer, answer.stamp == query.stamp { return answer.cell }
        let cell = evaluated(query)
        // The stamp is read only now, because the evaluation may have begun a read transaction.
        answer = (query.stamp, cell)
        return cell
    }

    /// Returns the result of a listener, if one has the current one.
    func listened(_ instance: RealmInstance) -> Cell? {
        if listenedViews.isEmpty || instance.hasUncommittedChanges { return nil }
        if let view = listenedViews.current() { return view.fold.result }
        listenedViews.dropGone()
        return nil
    }

    /// Returns the result of an evaluation.
    func evaluated(_ query: QueryState) -> Cell {
        if case .aggregate(let function, _) = kind, function == .min || function == .max, let type {
            // Without an order of the values, which only a listener needs.
            var fold = AggregateFold(function.engine, type.order, type.arithmetic)
            let (snapshot, catalog) = (query.instance.snapshot, query.instance.catalog)
            query.query.unordered.fold(path, &fold, snapshot, catalog)
            return fold.result
        }
        let fold = makeFold()
        fold.evaluate(query)
        return fold.result
    }
}

extension ScalarType {
    /// Whether different cells can be equal values.
    private var hasEqualForms: Bool { self == .decimal128 || self == .any || isFloatingPoint }

    /// Returns whether two results of functions on values of a type, or two counts, are equal. Decimals can be equal with other digits, and
    /// zeros with another sign.
    static func areSame(_ a: Cell?, _ b: Cell?, _ type: ScalarType?) -> Bool {
        if a == b { return true }
        guard let a, let b, let type, a != .null, b != .null, type.hasEqualForms else { return false }
        return type.order.compare(a, b) == 0
    }
}
