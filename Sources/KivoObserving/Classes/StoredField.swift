#if canImport(ObjectiveC)
import Foundation
import ObjectiveC
#else
@_spi(Reflection) import Swift
#endif

/// A stored property of a class, found by reflection.
struct StoredField {
    /// The name of the property; for a wrapped property, without the underscore of its storage.
    let name: String
    /// The position in an instance, in bytes.
    let offset: Int
    let type: Any.Type
    /// The type of the storage, if the property is ``Observed``.
    let storage: (any ObservedStorage.Type)?

    /// Whether the property is observed and of a class, or an optional of a class: one word, which is 0 for nil.
    var isReference: Bool {
        guard let type = storage?.valueType else { return false }
        return ((type as? any AnyOptional.Type)?.wrappedType ?? type) is AnyClass
    }

    init?(_ label: String, _ offset: Int, _ type: Any.Type) {
        // The storage of lazy properties and the like has names that no property has.
        if label.hasPrefix("$") { return nil }
        storage = type as? any ObservedStorage.Type
        name = storage == nil ? label : String(label.dropFirst())
        self.offset = offset
        self.type = type
    }

    /// Returns the value in an instance, which the caller holds.
    func value(in object: AnyObject) -> Any {
        let address = Unmanaged.passUnretained(object).toOpaque() + offset
        if let storage { return storage.value(at: address) }
        func read<Value>(_ type: Value.Type) -> Any { address.assumingMemoryBound(to: type).pointee }
        return _openExistential(type, do: read)
    }

    /// Returns the stored properties of an instance's class and of its superclasses, those of a subclass after the others.
    static func all(of object: AnyObject) -> [StoredField] {
        #if canImport(ObjectiveC)
        // The runtime of Objective-C knows the fields of all classes, but not their types; a mirror knows those.
        var fields: [StoredField] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            let types = Dictionary(
                current.children.compactMap { child in child.label.map { ($0, Swift.type(of: child.value)) }
                },
                uniquingKeysWith: { first, _ in first })
            var count: UInt32 = 0
            let variables = (current.subjectType as? AnyClass).flatMap { class_copyIvarList($0, &count) }
            var own: [StoredField] = []
            for index in 0..<Int(count) {
                guard let variable = variables?[index],
                    let label = ivar_getName(variable).map(String.init(cString:)),
                    let type = types[label]
                else { continue }
                if let field = StoredField(label, ivar_getOffset(variable), type) { own.append(field) }
            }
            free(variables)
            fields = own + fields
            mirror = current.superclassMirror
        }
        return fields
        #else
        var fields: [StoredField] = []
        _ = _forEachField(of: Swift.type(of: object), options: _EachFieldOptions(rawValue: 1)) {
            label, offset, type, _ in
            if let field = StoredField(String(cString: label), offset, type) { fields.append(field) }
            return true
        }
        return fields
        #endif
    }
}
