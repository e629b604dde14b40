import Foundation
import Kivo

/// The position of a typed query: an object, a link, or a collection of objects of a class.
protocol QueryFuzzStep<Target> {
    associatedtype Target: ObjectBase
    func get<Value>(_ keyPath: KeyPath<Target, Value>) -> Query<Value>
}

extension QueryFuzz {
    struct ObjectStep<Target: ObjectBase>: QueryFuzzStep {
        let query: Query<Target>
        func get<Value>(_ keyPath: KeyPath<Target, Value>) -> Query<Value> { query[dynamicMember: keyPath] }
    }

    struct LinkStep<Target: ObjectBase>: QueryFuzzStep where Target: RealmCollectionValue {
        let query: Query<Target?>
        func get<Value>(_ keyPath: KeyPath<Target, Value>) -> Query<Value> { query[dynamicMember: keyPath] }
    }

    struct CollectionStep<Collection: RealmCollection>: QueryFuzzStep where Collection.Element: ObjectBase {
        let query: Query<Collection>
        func get<Value>(_ keyPath: KeyPath<Collection.Element, Value>) -> Query<Value> {
            query[dynamicMember: keyPath]
        }
    }

    enum TypedStep {
        case toThing(any QueryFuzzStep<QueryFuzzThing>)
        case toHolder(any QueryFuzzStep<QueryFuzzHolder>)

        var thing: any QueryFuzzStep<QueryFuzzThing> {
            guard case .toThing(let step) = self else { fatalError("not a thing") }
            return step
        }

        var holder: any QueryFuzzStep<QueryFuzzHolder> {
            guard case .toHolder(let step) = self else { fatalError("not a holder") }
            return step
        }
    }

    enum TypedOperand {
        case int(Query<Int>)
        case optInt(Query<Int?>)
        case double(Query<Double>)
        case optDouble(Query<Double?>)
        case text(Query<String>)
        case optText(Query<String?>)
        case bool(Query<Bool>)
        case date(Query<Date>)
        case optDate(Query<Date?>)
        case thing(Query<QueryFuzzThing?>)
        case holder(Query<QueryFuzzHolder?>)
        case things(Query<List<QueryFuzzThing>>)
        case thingSet(Query<MutableSet<QueryFuzzThing>>)
        case thingOrigins(Query<LinkingObjects<QueryFuzzThing>>)
        case holderOrigins(Query<LinkingObjects<QueryFuzzHolder>>)
        case numbers(Query<List<Int>>)
        case map(Query<Map<String, Int>>)

        var step: TypedStep? {
            switch self {
            case .thing(let query): .toThing(LinkStep(query: query))
            case .holder(let query): .toHolder(LinkStep(query: query))
            case .things(let query): .toThing(CollectionStep(query: query))
            case .thingSet(let query): .toThing(CollectionStep(query: query))
            case .thingOrigins(let query): .toThing(CollectionStep(query: query))
            case .holderOrigins(let query): .toHolder(CollectionStep(query: query))
            default: nil
            }
        }

        var count: Query<Int>? {
            switch self {
            case .things(let query): query.count
            case .thingSet(let query): query.count
            case .thingOrigins(let query): query.count
            case .holderOrigins(let query): query.count
            case .numbers(let query): query.count
            case .map(let query): query.count
            default: nil
            }
        }

        func aggregate(_ function: Function) -> TypedOperand? {
            switch self {
            case .int(let query): .int(aggregate(query, function))
            case .optInt(let query): .optInt(aggregate(query, function))
            case .double(let query): .double(aggregate(query, function))
            case .optDouble(let query): .optDouble(aggregate(query, function))
            case .date(let query): .date(function == .min ? query.min : query.max)
            case .optDate(let query): .optDate(function == .min ? query.min : query.max)
            case .numbers(let query):
                switch function {
                case .min: .int(query.min)
                case .max: .int(query.max)
                case .sum: .int(query.sum)
                default: .int(query.avg)
                }
            case .map(let query):
                switch function {
                case .min: .int(query.min)
                case .max: .int(query.max)
                case .sum: .int(query.sum)
                default: .int(query.avg)
                }
            default: nil
            }
        }

        private func aggregate<T: _QueryNumeric>(_ query: Query<T>, _ function: Function) -> Query<
            T
        > {
            switch function {
            case .min: query.min
            case .max: query.max
            case .sum: query.sum
            default: query.avg
            }
        }
    }
}
