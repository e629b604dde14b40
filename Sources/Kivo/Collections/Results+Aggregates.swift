import KivoEngine

extension Results where Element: ObjectBase {
    /// The smallest value of a property, or nil if there is none. O(n).
    public func min<Value: MinMaxType & _Scalar>(of keyPath: KeyPath<Element, Value>) -> Value? {
        min(ofProperty: KeyPathName.of(keyPath))
    }

    /// The largest value of a property, or nil if there is none. O(n).
    public func max<Value: MinMaxType & _Scalar>(of keyPath: KeyPath<Element, Value>) -> Value? {
        max(ofProperty: KeyPathName.of(keyPath))
    }

    /// The sum of the values of a property, 0 if there are none. O(n).
    public func sum<Value: AddableType & _Scalar & AdditiveArithmetic>(
        of keyPath: KeyPath<Element, Value>
    ) -> Value {
        sum(ofProperty: KeyPathName.of(keyPath))
    }

    /// The average of the values of a property, or nil if there are none. O(n).
    public func average<Value: AddableType & _Scalar>(of keyPath: KeyPath<Element, Value>) -> Double? {
        average(ofProperty: KeyPathName.of(keyPath))
    }

    /// The smallest value of a property, by name, or nil if there is none. O(n).
    public func min<Value: MinMaxType & _Scalar>(ofProperty property: String) -> Value? {
        extreme(property, -1)
    }

    /// The largest value of a property, by name, or nil if there is none. O(n).
    public func max<Value: MinMaxType & _Scalar>(ofProperty property: String) -> Value? {
        extreme(property, 1)
    }

    /// The sum of the values of a property, by name, 0 if there are none. O(n).
    public func sum<Value: AddableType & _Scalar & AdditiveArithmetic>(ofProperty property: String) -> Value {
        var sum = Value.zero
        forEachCell(property) { cell, _ in if cell != .null { sum += Value(_cell: cell) } }
        return sum
    }

    /// The average of the values of a property, by name, or nil if there are none. O(n).
    public func average(ofProperty property: String) -> Double? {
        var (sum, count) = (0.0, 0)
        forEachCell(property) { cell, scalar in
            guard cell != .null, let value = scalar?.swiftType.flatMap({ number(cell, $0) }) else { return }
            sum += value
            count += 1
        }
        return count == 0 ? nil : sum / Double(count)
    }

    private func number<Value: _Scalar>(_ cell: Cell, _ type: Value.Type) -> Double? {
        floatingPoint(Value(_cell: cell))
    }

    private func extreme<Value: _Scalar>(_ property: String, _ sign: Int) -> Value? {
        var best = Cell.null
        let order = column(property).path.order
        forEachCell(property) { cell, _ in
            if cell == .null { return }
            if best == .null || order.compare(cell, best) * sign > 0 { best = cell }
        }
        return best == .null ? nil : Value(_cell: best)
    }

    private func column(_ name: String) -> (path: ColumnPath, property: PropertyInfo) {
        QueryCompiler(context: state.elements!).column(name.split(separator: ".").map(String.init))
    }

    private func forEachCell(_ name: String, _ body: (Cell, ScalarType?) -> Void) {
        let (path, property) = column(name)
        let snapshot = state.core.snapshot
        let table = snapshot.table(state.elements!.table)
        for key in state.rows {
            guard let (leaf, slot) = table.locate(key) else { continue }
            body(path.cell(snapshot, leaf, slot) ?? .null, property.type.scalar)
        }
    }
}
