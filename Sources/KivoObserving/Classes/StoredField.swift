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
    /// The type of the storage, if the property is ``Observed`` or ``ObservedWeak``.
    let storage: (any ObservedStorage.Type)?
    /// Whether the property has a name for key-value coding: the storage of lazy properties has none.
    let isNamed: Bool
    private let ownership: FieldOwnership

    /// Whether the property is ``ObservedWeak``.
    var isWeak: Bool { storage?.isWeak == true }

    /// Whether the property is observed and holds an object of a class, or an optional of one: one word, which is 0 for nil.
    var isReference: Bool {
        guard let storage, !storage.isWeak else { return false }
        let type = storage.valueType
        return ((type as? any AnyOptional.Type)?.wrappedType ?? type) is AnyClass
    }

    /// Whether the property holds an object, or may hold one: not weakly, since observations would keep the object alive.
    var mayHoldObject: Bool { ownership == .strong && mayReferToObject }

    private var mayReferToObject: Bool {
        let type = withoutOptional(type)
        return type is AnyClass || Self.isExistential(type)
    }

    private static func isExistential(_ type: Any.Type) -> Bool {
        func describe<Value>(_ type: Value.Type) -> String { "\(Swift.type(of: type))" }
        return _openExistential(type, do: describe).hasSuffix(".Protocol")
    }

    private static let lazyPrefix = "$__lazy_storage_$_"

    init?(_ label: String, _ offset: Int, _ type: Any.Type, _ ownership: FieldOwnership) {
        isNamed = !label.hasPrefix("$")
        if !isNamed, !label.hasPrefix(Self.lazyPrefix) { return nil }
        storage = type as? any ObservedStorage.Type
        name = String(label.dropFirst(isNamed ? storage == nil ? 0 : 1 : Self.lazyPrefix.count))
        self.offset = offset
        self.type = type
        self.ownership = ownership
    }

    /// Returns the value in an instance, which the caller holds.
    func value(in object: AnyObject) -> Any {
        let address = Unmanaged.passUnretained(object).toOpaque() + offset
        if let storage { return storage.value(at: address, of: object) }
        // Where descriptions of fields are not known, only a mirror knows whether a reference is weak.
        var mirror = !FieldOwnership.isKnown && mayReferToObject ? Mirror(reflecting: object) : nil
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == name }) { return child.value }
            mirror = current.superclassMirror
        }
        switch ownership {
        case .weak: return address.assumingMemoryBound(to: WeakReference.self).pointee.object as Any
        case .unowned: return address.assumingMemoryBound(to: UnownedReference.self).pointee.object as Any
        case .strong: break
        }
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
                if let field = StoredField(label, ivar_getOffset(variable), type, .strong) {
                    own.append(field)
                }
            }
            free(variables)
            fields = own + fields
            mirror = current.superclassMirror
        }
        return fields
        #else
        var fields: [StoredField] = []
        let ownerships = FieldOwnership.all(of: Swift.type(of: object))
        var index = 0
        _ = _forEachField(of: Swift.type(of: object), options: _EachFieldOptions(rawValue: 1)) {
            label, offset, type, _ in
            let ownership = index < ownerships.count ? ownerships[index] : .strong
            if let field = StoredField(String(cString: label), offset, type, ownership) {
                fields.append(field)
            }
            index += 1
            return true
        }
        return fields
        #endif
    }
}
