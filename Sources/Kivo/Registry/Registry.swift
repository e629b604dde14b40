import KivoEngine
import Synchronization

/// All model classes that the program has used so far.
///
/// Thread-safe: a class is looked at once, and what was found never changes.
enum Registry {
    private static let classes = Mutex<[ObjectIdentifier: ClassInfo]>([:])

    /// The description of a class. Traps in words if the class cannot be a model.
    static func info(_ type: ObjectBase.Type) -> ClassInfo {
        let id = ObjectIdentifier(type)
        if let known = classes.withLock({ $0[id] }) { return known }
        let info = ClassInfo(type)
        return classes.withLock {
            if let known = $0[id] { return known }
            $0[id] = info
            return info
        }
    }

    /// A class and all that it reaches through its properties, itself first.
    static func closure(_ type: ObjectBase.Type) -> [ClassInfo] {
        var found = [info(type)]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(type)]
        var next = 0
        while next < found.count {
            for property in found[next].properties {
                guard let target = property.type.target, seen.insert(ObjectIdentifier(target)).inserted else {
                    continue
                }
                found.append(info(target))
            }
            next += 1
        }
        return found
    }
}
