import Foundation

/// A test that determines whether a typed key path is a persisted property or is computed from one. The value of a persisted
/// property can be read from its storage.
///
/// A key path does not contain that information. But a property returns any value that is put into its storage, and a computed
/// property does not. So the probe stores a few values that no usual computation leaves unchanged, and compares the results. A
/// key path without a setter is computed in any case. There is one exception: a computed property that returns the stored value
/// unless some other state changes it. It would be taken for the property; but then it depends on that state without declaring
/// so.
enum StorageProbe {
    /// Returns the storage offset of a property of unmanaged objects, if a key path is that property.
    static func offset(_ keyPath: AnyKeyPath, _ property: PropertyInfo, in type: ObjectBase.Type) -> Int? {
        // A subclass may override the properties of its superclass.
        property.isOwn && isProperty(keyPath, property, in: type) ? property.offset : nil
    }

    /// Returns whether a key path is a property of a class, for objects of exactly this class.
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

    /// Returns values of a type. No computation is likely to leave all of them unchanged.
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
        case .int8, .int16, .float, .data, .objectId, .decimal128, .any: return nil
        }
    }
}
