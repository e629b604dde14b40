import Foundation

/// A test that determines whether a typed key path is an observed property or is computed from one. The value of a property can be
/// read from its storage.
///
/// A key path does not contain that information. But a property returns any value that is put into its storage, and a computed
/// property does not. If the key path returns another value than the stored one, it is computed. If both are equal, a few values
/// that no usual computation leaves unchanged stand for the property's own while this thread reads the key path, and the results
/// are compared. Of a key path without a setter it is not known: the setter may be private. There is one exception: a computed
/// property that returns the stored value unless some other state changes it. It would be taken for the property; but then it
/// depends on that state without declaring so.
extension StoredField {
    /// Returns whether a key path, which reads the property and has its type, is the property; returns nil if that is not known.
    func isProperty(_ keyPath: AnyKeyPath, of subject: AnyObject) -> Bool? {
        guard let storage, storage.valueType == Swift.type(of: keyPath).valueType, isWritable(keyPath) else {
            return nil
        }
        func probe<Value>(_ type: Value.Type) -> Bool? {
            guard let samples = Self.samples(of: type) else { return nil }
            let (stored, value) = (hashable(value(in: subject)), hashable(read(subject, keyPath)))
            // Another thread may assign meanwhile, and what is not a number is not equal to itself.
            if value != stored, stored == hashable(self.value(in: subject)) { return false }
            return samples.allSatisfy { sample in
                var value: AnyHashable?
                let property = ReadRecorder.Read(object: subject, column: offset)
                _ = ReadRecorder.reads(substituting: { read, _ in read == property ? sample.base : nil }) {
                    value = hashable((subject as Any)[keyPath: keyPath])
                }
                return value == sample
            }
        }
        return _openExistential(storage.valueType, do: probe)
    }

    /// Returns values of a type, or nil if there are none that a computation would change.
    private static func samples(of type: Any.Type) -> [AnyHashable]? {
        switch type {
        case is Bool.Type: [true, false]
        case is Int.Type: [-8_104_725_066_403_214, 7_345_210_661_234_587]
        case is Int64.Type: [Int64(-8_104_725_066_403_214), Int64(7_345_210_661_234_587)]
        case is Int32.Type: [Int32(-1_904_725_061), Int32(1_845_210_667)]
        case is Double.Type: [-8.104725066403214e17, 7.345210661234587e-9, 31.75]
        case is String.Type: [" aB\u{1F9ED}\tÿ  ", "Zy. x\n", ""]
        case is Date.Type: [-54321.123, 987654321.5].map { Date(timeIntervalSinceReferenceDate: $0) }
        case is UUID.Type: [UUID(), UUID()]
        default: nil
        }
    }
}
