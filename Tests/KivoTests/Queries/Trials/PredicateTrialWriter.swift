import Foundation
import Kivo

extension Trial {
    /// Says conditions as predicate strings, with arguments for values.
    struct Writer {
        let realm: Realm
        private(set) var arguments: [Any] = []
        private var variables = 0

        init(_ realm: Realm) { self.realm = realm }

        mutating func text(_ tree: Tree, _ prefix: String = "") -> String {
            switch tree {
            case .and(let a, let b): return "(\(text(a, prefix)) AND \(text(b, prefix)))"
            case .or(let a, let b): return "(\(text(a, prefix)) OR \(text(b, prefix)))"
            case .not(let a): return "NOT (\(text(a, prefix)))"
            case .comparison(let comparison):
                let options = comparison.options.isEmpty ? "" : "[\(comparison.options)]"
                let quantifier = comparison.quantifier == "ANY" ? "" : comparison.quantifier + " "
                let left = quantifier + text(comparison.left, prefix)
                switch comparison.right {
                case .value(let value):
                    return "\(left) \(comparison.sign.rawValue)\(options) \(argument(value))"
                case .among(let values):
                    return "\(left) IN\(options) {\(values.map { argument($0) }.joined(separator: ", "))}"
                case .between(let low, let high):
                    return "\(left) BETWEEN {\(argument(low)), \(argument(high))}"
                case .operand(let operand):
                    return "\(left) \(comparison.sign.rawValue)\(options) \(text(operand, prefix))"
                }
            }
        }

        private mutating func text(_ operand: Operand, _ prefix: String) -> String {
            switch operand {
            case .path(let path): return prefix + path.text
            case .aggregate(let path, let function, let property):
                return "\(prefix)\(path.text).@\(function)" + (property.map { ".\($0)" } ?? "")
            case .subquery(let hops, let tree):
                variables += 1
                let name = "$v\(variables)"
                return
                    "SUBQUERY(\(prefix)\(hops.joined(separator: ".")), \(name), \(text(tree, name + "."))).@count"
            }
        }

        private mutating func argument(_ value: Value) -> String {
            switch value {
            case .null: return "nil"
            case .int(let value) where value.magnitude < 1 << 62 && variables % 2 == 0: return "\(value)"
            default: break
            }
            arguments.append(Trial.plain(value, realm))
            return "%@"
        }
    }

    /// A value as the program has it.
    static func plain(_ value: Value, _ realm: Realm) -> Any {
        switch value {
        case .bool(let value): value
        case .int(let value): value
        case .double(let value): value
        case .decimal(let value): value
        case .text(let value): value
        case .data(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .objectId(let value): value
        case .object(let id): realm.object(ofType: TrialThing.self, forPrimaryKey: id)!
        case .null, .list, .dictionary: NSNull()
        }
    }

    /// A value as one of any type.
    static func any(_ value: Value, _ realm: Realm) -> AnyRealmValue {
        switch value {
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal128(value)
        case .text(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .uuid(let value): .uuid(value)
        case .objectId(let value): .objectId(value)
        case .object(let id): .object(realm.object(ofType: TrialThing.self, forPrimaryKey: id)!)
        case .list(let values): .fromArray(values.map { any($0, realm) })
        case .dictionary(let values): .fromDictionary(values.mapValues { any($0, realm) })
        case .null: .none
        }
    }
}

extension Trial {
    /// Says conditions as typed queries, as far as they can be said so.
    struct Typist {
        let realm: Realm

        /// The position of a typed query, which returns its properties: an object, a link, or a collection.
        enum Root {
            case thing(Query<TrialThing>), link(Query<TrialThing?>), list(Query<List<TrialThing>>)
            case origins(Query<LinkingObjects<TrialThing>>)

            func get<T>(_ path: KeyPath<TrialThing, T>) -> Query<T> {
                switch self {
                case .thing(let query): query[dynamicMember: path]
                case .link(let query): query[dynamicMember: path]
                case .list(let query): query[dynamicMember: path]
                case .origins(let query): query[dynamicMember: path]
                }
            }
        }

        func query(_ tree: Tree, _ root: Root) -> Query<Bool>? {
            switch tree {
            case .and(let a, let b):
                guard let a = query(a, root), let b = query(b, root) else { return nil }
                return a && b
            case .or(let a, let b):
                guard let a = query(a, root), let b = query(b, root) else { return nil }
                return a || b
            case .not(let a): return query(a, root).map { !$0 }
            case .comparison(let comparison):
                if comparison.quantifier == "ALL" { return nil }
                let found = query(comparison, root)
                return comparison.quantifier == "NONE" ? found.map { !$0 } : found
            }
        }

        private func query(_ comparison: Comparison, _ root: Root) -> Query<Bool>? {
            guard comparison.options.isEmpty, !comparison.sign.isTextual else { return nil }
            switch comparison.left {
            case .path(let path):
                guard path.steps.isEmpty || path.kind == .mixed else { return nil }
                guard let owner = follow(path.hops, root) else { return nil }
                return property(path, owner, comparison)
            case .subquery(let hops, let tree):
                guard hops.count == 1, let owner = follow(hops, root), let inner = query(tree, owner) else {
                    return nil
                }
                guard case .value(.int(let value)) = comparison.right else { return nil }
                return order(inner.count, comparison.sign, value)
            case .aggregate(let path, let function, nil):
                guard path.end == "ints", let owner = follow(path.hops, root),
                    case .value(.int(let value)) = comparison.right
                else { return nil }
                let ints = owner.get(\.ints)
                switch function {
                case "count": return order(ints.count, comparison.sign, value)
                case "min": return order(ints.min, comparison.sign, value)
                case "max": return order(ints.max, comparison.sign, value)
                case "sum": return order(ints.sum, comparison.sign, value)
                default: return order(ints.avg, comparison.sign, value)
                }
            case .aggregate: return nil
            }
        }

        private func follow(_ hops: [String], _ root: Root) -> Root? {
            hops.reduce(root) { (root: Root?, hop) in
                guard let root else { return nil }
                return switch hop {
                case "link": .link(root.get(\.link))
                case "things": .list(root.get(\.things))
                default: .origins(root.get(\.linkedBy))
                }
            }
        }

        private func property(_ path: Path, _ root: Root, _ comparison: Comparison) -> Query<Bool>? {
            func given<T>(_ convert: (Value) -> T?, _ query: Query<T>) -> Query<Bool>? where T: SortableType {
                guard case .value(let value) = comparison.right else { return nil }
                return convert(value).flatMap { order(query, comparison.sign, $0) }
            }
            func optional<T>(_ convert: (Value) -> T?, _ query: Query<T?>) -> Query<Bool>?
            where T: SortableType {
                guard case .value(let value) = comparison.right else { return nil }
                if value.isNull { return order(query, comparison.sign, nil) }
                return convert(value).flatMap { order(query, comparison.sign, $0) }
            }
            func int(_ value: Value) -> Int? { if case .int(let value) = value { value } else { nil } }
            func double(_ value: Value) -> Double? {
                if case .double(let value) = value { value } else { nil }
            }
            func decimal(_ value: Value) -> Decimal128? {
                if case .decimal(let value) = value { value } else { nil }
            }
            func text(_ value: Value) -> String? { if case .text(let value) = value { value } else { nil } }
            func date(_ value: Value) -> Date? { if case .date(let value) = value { value } else { nil } }
            switch path.end {
            case "int": return given(int, root.get(\.int))
            case "optInt": return optional(int, root.get(\.optInt))
            case "double": return given(double, root.get(\.double))
            case "optDouble": return optional(double, root.get(\.optDouble))
            case "decimal": return given(decimal, root.get(\.decimal))
            case "optDecimal": return optional(decimal, root.get(\.optDecimal))
            case "text": return given(text, root.get(\.text))
            case "optText": return optional(text, root.get(\.optText))
            case "date": return optional(date, root.get(\.date))
            case "mixed":
                guard case .value(let value) = comparison.right else { return nil }
                let query = path.steps.reduce(root.get(\.mixed)) { query, step in
                    switch step {
                    case .key(let key): query[key]
                    case .index(let index): query[index]
                    case .all: query.any
                    }
                }
                return order(query, comparison.sign, Trial.any(value, realm))
            default: return nil
            }
        }

        private func order<T: SortableType>(_ query: Query<T>, _ sign: Sign, _ value: T) -> Query<Bool>? {
            switch sign {
            case .equal: query == value
            case .notEqual: query != value
            case .less: query < value
            case .lessOrEqual: query <= value
            case .greater: query > value
            case .greaterOrEqual: query >= value
            default: nil
            }
        }
    }
}
