import Foundation

/// An array or a set, without the type of its elements.
protocol CountedValue {
    var count: Int { get }
}

extension Set: CountedValue {}

/// An array, without the type of its elements. What it does costs what it costs an array, whose other elements are not converted.
protocol ArrayValue: CountedValue {
    /// Returns the element at a position.
    func element(at index: Int) -> Any

    /// Inserts, removes or replaces elements at ascending positions. Returns false, and changes nothing, if an object does not fit.
    mutating func edit(_ change: NSKeyValueChange, _ positions: [Int], _ objects: [Any]) -> Bool
}

extension Array: ArrayValue {
    func element(at index: Int) -> Any { self[index] }

    mutating func edit(_ change: NSKeyValueChange, _ positions: [Int], _ objects: [Any]) -> Bool {
        var values: [Element] = []
        values.reserveCapacity(objects.count)
        for object in objects {
            guard let value = plainlyConverted(object, to: Element.self) else { return false }
            values.append(value)
        }
        switch change {
        case .insertion:
            if case .range(let range) = Positions(ascending: positions) {
                insert(contentsOf: values, at: range.lowerBound)
            } else {
                for (position, value) in zip(positions, values) { insert(value, at: position) }
            }
        case .removal: remove(at: Positions(ascending: positions))
        default: for (position, value) in zip(positions, values) { self[position] = value }
        }
        return true
    }
}

extension Observed {
    @usableFromInline
    static var elementCount: ((_ address: UnsafeMutableRawPointer, _ owner: AnyObject) -> Int)? {
        func counter<Values: CountedValue>(_ type: Values.Type) -> (UnsafeMutableRawPointer, AnyObject) -> Int
        {
            { address, owner in
                checkAccess(address, owner)
                // The value is the first field.
                return address.assumingMemoryBound(to: type).pointee.count
            }
        }
        return (Value.self as? any CountedValue.Type).map { counter($0) }
    }

    /// Edits the value in place, if it is an array. Returns nil if it is not, and false if an object does not fit.
    @usableFromInline
    static func edit(
        at address: UnsafeMutableRawPointer, of owner: AnyObject, _ change: NSKeyValueChange,
        _ positions: [Int], _ objects: [Any]
    ) -> Bool? {
        guard let type = Value.self as? any ArrayValue.Type else { return nil }
        checkAccess(address, owner)
        // The value is the first field.
        func edit<Values: ArrayValue>(_ type: Values.Type) -> Bool {
            address.assumingMemoryBound(to: type).pointee.edit(change, positions, objects)
        }
        return edit(type)
    }
}
