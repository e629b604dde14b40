import Foundation

/// Finds out whether a typed key path is a persisted property itself, so that its value can be read from where it is
/// stored, and not something computed from the property.
///
/// A key path does not say. But a property reads whatever is put into its storage, and what is computed from it does not:
/// not for all of a few values that no computation leaves alone. What has no setter is computed without asking. (A
/// computed property that passed on what it reads unless some other state says otherwise would be taken for the
/// property; it would also depend on that state without having declared it.)
enum StorageProbe {
    /// Where the value of a property of unmanaged objects is stored, if a key path is that property.
    static func offset(_ keyPath: AnyKeyPath, _ property: PropertyInfo, in type: ObjectBase.Type) -> Int? {
        // What a superclass declares may be overridden.
        property.isOwn && isProperty(keyPath, property, in: type) ? property.offset : nil
    }

    /// Whether a key path is a property of a class, of which objects are that are of no class derived from it.
    static func isProperty(_ keyPath: AnyKeyPath, _ property: PropertyInfo, in type: ObjectBase.Type) -> Bool
    {
        guard property.wrapper.valueType == Swift.type(of: keyPath).valueType, isWritable(keyPath),
            let samples = samples(property.type)
        else { return false }
        let instance: ObjectBase = type.init()
        let address = property.address(in: instance)
        for sample in samples {
            guard property.wrapper.setUnmanagedValue(address, sample),
                let value = hashable(instance[keyPath: keyPath]), value == sample
            else { return false }
        }
        return true
    }

    static func isWritable(_ keyPath: AnyKeyPath) -> Bool {
        func isWritable<Root, Value>(_ root: Root.Type, _ value: Value.Type) -> Bool {
            keyPath is ReferenceWritableKeyPath<Root, Value>
        }
        func open<Root>(_ root: Root.Type) -> Bool {
            func open<Value>(_ value: Value.Type) -> Bool { isWritable(root, value) }
            return _openExistential(type(of: keyPath).valueType, do: open)
        }
        return _openExistential(type(of: keyPath).rootType, do: open)
    }

    /// Values of a type. No computation is likely to leave all of them as they are.
    private static func samples(_ type: DeclaredType) -> [AnyHashable]? {
        guard type.collection == .none, !type.isMapped, let scalar = type.scalar else { return nil }
        switch scalar {
        case .bool: return [true, false]
        case .int: return [-8_104_725_066_403_214, 7_345_210_661_234_587]
        case .int64: return [Int64(-8_104_725_066_403_214), Int64(7_345_210_661_234_587)]
        case .int32: return [Int32(-1_904_725_061), Int32(1_845_210_667)]
        case .double: return [-8.104725066403214e17, 7.345210661234587e-9, 31.75]
        case .string: return [" aB\u{1F9ED}\tÿ  ", "Zy. x\n", ""]
        case .date: return [-54321.123, 987654321.5].map { Date(timeIntervalSinceReferenceDate: $0) }
        case .uuid: return [UUID(), UUID()]
        default: return nil
        }
    }
}
