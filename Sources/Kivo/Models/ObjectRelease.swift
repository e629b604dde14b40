/// Lets go of what unmanaged objects refer to, one object after the other.
///
/// An object that goes would let go of the next from within its own end, and so on: a long chain would need a long stack.
/// Instead the objects that were held are collected, and the outermost end lets go of all of them. Confined to a thread.
final class ObjectRelease {
    private var objects: [ObjectBase] = []

    /// What is letting go of objects on this thread, if something is.
    private static let active = ThreadLocalPointer()

    /// Lets go of the objects that `take` takes out of what goes.
    static func release(_ take: (inout [ObjectBase]) -> Void) {
        if let active = active.value {
            Unmanaged<ObjectRelease>.fromOpaque(active)._withUnsafeGuaranteedRef { take(&$0.objects) }
            return
        }
        let release = ObjectRelease()
        take(&release.objects)
        if release.objects.isEmpty { return }
        active.value = Unmanaged.passUnretained(release).toOpaque()
        // An object that goes here adds those that it has held.
        while let object = release.objects.popLast() { _ = consume object }
        active.value = nil
    }
}

extension ObjectBase {
    /// Takes out of an unmanaged object that goes what its properties link to, and lets go of that. Collections do the same
    /// when they go.
    final func kivoReleaseLinks() {
        let type = type(of: self)
        // A prototype goes the ordinary way.
        if Registry.isLocating(type) { return }
        let info = Registry.info(type)
        ObjectRelease.release { objects in
            for property in info.storedProperties
            where property.isLink && !property.type.isMapped || property.type.scalar == .any {
                if let object = property.wrapper.takeLink(property.address(in: self)) {
                    objects.append(object)
                }
            }
        }
    }
}
