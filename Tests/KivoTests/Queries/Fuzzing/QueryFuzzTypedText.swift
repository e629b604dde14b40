import Kivo

extension QueryFuzz.Typist {
    private func options(_ comparison: QueryFuzz.Comparison) -> StringOptions {
        var options: StringOptions = []
        if comparison.options.contains("c") { options.insert(.caseInsensitive) }
        if comparison.options.contains("d") { options.insert(.diacriticInsensitive) }
        return options
    }

    func text<T: _QueryString>(
        _ query: Query<T>, _ comparison: QueryFuzz.Comparison, _ value: T
    ) -> Query<Bool>? {
        let options = options(comparison)
        switch comparison.sign {
        case .equal: return query.equals(value, options: options)
        case .notEqual: return query.notEquals(value, options: options)
        case .begins: return query.starts(with: value, options: options)
        case .ends: return query.ends(with: value, options: options)
        case .contains: return query.contains(value, options: options)
        case .like where comparison.options.contains("d"): return nil
        case .like: return query.like(value, caseInsensitive: !options.isEmpty)
        case .matches: return (value as? String).map { query.matches($0, options: options) }
        default: return nil
        }
    }

    private func text<T: _QueryString, U: _QueryString>(
        _ query: Query<T>, _ other: Query<U>, _ comparison: QueryFuzz.Comparison
    ) -> Query<Bool>? {
        let options = options(comparison)
        switch comparison.sign {
        case .equal: return query.equals(other, options: options)
        case .notEqual: return query.notEquals(other, options: options)
        case .begins: return query.starts(with: other, options: options)
        case .ends: return query.ends(with: other, options: options)
        case .contains: return query.contains(other, options: options)
        case .like where comparison.options.contains("d"): return nil
        case .like: return query.like(other, caseInsensitive: !options.isEmpty)
        default: return nil
        }
    }

    private func order<T: SortableType>(
        _ query: Query<T>, _ other: Query<T>, _ sign: QueryFuzz.Sign
    ) -> Query<Bool>? {
        switch sign {
        case .equal: query == other
        case .notEqual: query != other
        case .less: query < other
        case .lessOrEqual: query <= other
        case .greater: query > other
        case .greaterOrEqual: query >= other
        default: nil
        }
    }

    /// The comparison of two properties, if the types of both are the same or both are texts.
    func pair(
        _ left: QueryFuzz.TypedOperand, _ right: QueryFuzz.TypedOperand, _ comparison: QueryFuzz.Comparison
    ) -> Query<Bool>? {
        let sign = comparison.sign
        switch (left, right) {
        case (.int(let a), .int(let b)): return order(a, b, sign)
        case (.optInt(let a), .optInt(let b)): return order(a, b, sign)
        case (.double(let a), .double(let b)): return order(a, b, sign)
        case (.optDouble(let a), .optDouble(let b)): return order(a, b, sign)
        case (.date(let a), .date(let b)): return order(a, b, sign)
        case (.optDate(let a), .optDate(let b)): return order(a, b, sign)
        case (.text(let a), .text(let b)):
            let isPlain = sign.isOrder && comparison.options.isEmpty
            return isPlain ? order(a, b, sign) : text(a, b, comparison)
        case (.text(let a), .optText(let b)): return text(a, b, comparison)
        case (.optText(let a), .text(let b)): return text(a, b, comparison)
        case (.optText(let a), .optText(let b)): return text(a, b, comparison)
        case (.thing(let a), .thing(let b)): return sign == .equal ? a == b : a != b
        case (.holder(let a), .holder(let b)): return sign == .equal ? a == b : a != b
        default: return nil
        }
    }
}
