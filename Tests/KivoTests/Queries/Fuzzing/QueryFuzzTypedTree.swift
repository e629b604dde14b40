import Foundation
import Kivo

extension QueryFuzz {
    /// Says conditions in typed queries, as far as they can be said so.
    struct Typist {
        let object: (Int) -> Object

        func query(_ tree: Tree, _ step: TypedStep) -> Query<Bool>? {
            switch tree {
            case .constant: return nil
            case .and(let a, let b):
                guard let a = query(a, step), let b = query(b, step) else { return nil }
                return a && b
            case .or(let a, let b):
                guard let a = query(a, step), let b = query(b, step) else { return nil }
                return a || b
            case .not(let a): return query(a, step).map { !$0 }
            case .comparison(let comparison):
                switch comparison.quantifier {
                case .all: return nil
                case .any: return query(comparison, step)
                case .none: return query(comparison, step).map { !$0 }
                }
            }
        }

        private func operand(_ operand: Operand, _ step: TypedStep) -> TypedOperand? {
            switch operand {
            case .path(let path): return self.operand(path, step)
            case .constant: return nil
            case .computed(let left, let sign, let right):
                return computed(left, sign, right) { self.operand($0, step) }
            case .aggregate(let path, let function, let value):
                guard let collection = self.operand(path, step) else { return nil }
                if function == .count { return collection.count.map { .int($0) } }
                guard let value else { return collection.aggregate(function) }
                return collection.step.flatMap { self.operand(value, $0) }?.aggregate(function)
            case .subquery(let path, let tree):
                guard path.hops.isEmpty, let collection = self.operand(path, step)?.step
                else {
                    return nil
                }
                return query(tree, collection).map { .int($0.count) }
            }
        }

        private func operand(_ path: Path, _ step: TypedStep) -> TypedOperand? {
            var (step, type) = (step, path.root)
            for hop in path.hops {
                let property = QueryFuzz.properties(type)[hop]
                step = property.typed(step).step!
                type = property.shape.target!
            }
            switch path.end {
            case .this: return nil
            case .property(let index): return QueryFuzz.properties(type)[index].typed(step)
            case .entry(let index, let key):
                guard case .map(let map) = QueryFuzz.properties(type)[index].typed(step) else { return nil }
                return .int(map[key])
            }
        }

        private func query(_ comparison: Comparison, _ step: TypedStep) -> Query<Bool>? {
            guard let left = operand(comparison.left, step) else { return nil }
            if case .operand(let other) = comparison.right {
                return operand(other, step).flatMap { pair(left, $0, comparison) }
            }
            switch left {
            case .int(let query): return scalar(query, comparison) { $0.int }
            case .optInt(let query): return optional(query, comparison) { $0.int }
            case .double(let query): return scalar(query, comparison) { $0.double }
            case .optDouble(let query): return optional(query, comparison) { $0.double }
            case .date(let query): return scalar(query, comparison) { $0.date }
            case .optDate(let query): return optional(query, comparison) { $0.date }
            case .bool(let query):
                guard case .value(.bool(let value)) = comparison.right else { return nil }
                return comparison.sign == .equal ? query == value : query != value
            case .text(let query):
                if comparison.sign.isOrder, comparison.options.isEmpty {
                    return scalar(query, comparison) { $0.text }
                }
                guard case .value(.text(let text)) = comparison.right else { return nil }
                return self.text(query, comparison, text)
            case .optText(let query):
                if comparison.sign.isOrder, comparison.options.isEmpty {
                    return optional(query, comparison) { $0.text }
                }
                guard case .value(let value) = comparison.right else { return nil }
                return self.text(query, comparison, value.text)
            case .thing(let query): return link(query, comparison, QueryFuzzThing.self)
            case .holder(let query): return link(query, comparison, QueryFuzzHolder.self)
            case .things(let query): return member(query, comparison)
            case .thingSet(let query): return member(query, comparison)
            case .thingOrigins(let query): return member(query, comparison)
            case .holderOrigins(let query): return member(query, comparison)
            case .numbers(let query):
                switch comparison.right {
                case .value(.int(let int)): return order(query, comparison.sign, int)
                case .among(let values):
                    guard !values.contains(where: { $0.int == nil }) else { return nil }
                    return query.containsAny(in: values.map { $0.int! })
                default: return nil
                }
            case .map(let query):
                guard case .value(.int(let int)) = comparison.right else { return nil }
                return order(query.values, comparison.sign, int)
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

        private func order(_ query: Query<List<Int>>, _ sign: Sign, _ value: Int) -> Query<Bool>? {
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

        private func scalar<T: SortableType & Comparable>(
            _ query: Query<T>, _ comparison: Comparison, _ plain: (Value) -> T?
        ) -> Query<Bool>? {
            guard comparison.options.isEmpty else { return nil }
            switch comparison.right {
            case .value(let value): return plain(value).flatMap { order(query, comparison.sign, $0) }
            case .among(let values):
                let known = values.compactMap(plain)
                return known.count == values.count ? query.in(known) : nil
            case .between(let low, let high):
                guard let low = plain(low), let high = plain(high), low <= high else { return nil }
                return query.contains(low...high)
            case .operand: return nil
            }
        }

        private func optional<T: SortableType & Comparable>(
            _ query: Query<T?>, _ comparison: Comparison, _ plain: @escaping (Value) -> T?
        ) -> Query<Bool>? {
            guard comparison.options.isEmpty else { return nil }
            let wrapped = { (value: Value) -> T?? in
                value == .null ? .some(nil) : plain(value).map { .some($0) }
            }
            switch comparison.right {
            case .value(let value):
                guard let value = wrapped(value) else { return nil }
                return order(query, comparison.sign, value)
            case .among(let values):
                let known = values.compactMap(wrapped)
                return known.count == values.count ? query.in(known) : nil
            case .between(let low, let high):
                guard let low = plain(low), let high = plain(high), low <= high else { return nil }
                return query.contains(low...high)
            case .operand: return nil
            }
        }

        private func link<T: ObjectBase & RealmCollectionValue>(
            _ query: Query<T?>, _ comparison: Comparison, _ type: T.Type
        ) -> Query<Bool>? {
            switch comparison.right {
            case .value(let value):
                let target = value.object.map { unsafeDowncast(object($0), to: type) }
                return comparison.sign == .equal ? query == target : query != target
            case .among(let values):
                return query.in(values.map { $0.object.map { unsafeDowncast(object($0), to: type) } })
            default: return nil
            }
        }

        private func member<C: RealmCollection>(_ query: Query<C>, _ comparison: Comparison) -> Query<Bool>?
        where C.Element: ObjectBase {
            switch comparison.right {
            case .value(.object(let id)):
                let target = unsafeDowncast(object(id), to: C.Element.self)
                switch comparison.sign {
                case .equal: return query.contains(target)
                default: return query != target
                }
            case .among(let values):
                guard !values.contains(.null) else { return nil }
                return query.containsAny(
                    in: values.map { unsafeDowncast(object($0.object!), to: C.Element.self) })
            default: return nil
            }
        }
    }
}
