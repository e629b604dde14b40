/// The release of the objects that unmanaged objects refer to, one after the other.
///
/// If each object released the next one in its `deinit`, a long chain would need a deep stack. Instead the referenced objects are
/// collected, and the outermost `deinit` releases all of them. Confined to a thread.
final class ObjectRelease {
    private var objects: [ObjectBase] = []

    /// The release that is in progress on this thread, if any.
    private static let active = ThreadLocalPointer()

    /// Releases the objects that `take` moves out of an object that is being deinitialised.
    static func release(_ take: (inout [ObjectBase]) -> Void) {
        if let active = active.value {
            Unmanaged<ObjectRelease>.fromOpaque(active)._withUnsafeGuaranteedRef { take(&$0.objects) }
            return
        }
        let release = ObjectRelease()
        take(&release.objects)
        if release.objects.isEmpty { return }
        active.value = Unmanaged.passUnretained(release).toOpaque()
        // An object that is deinitialised here adds the objects that it held.
        while let object = release.objects.popLast() { _ = consume object }
        active.value = nil
    }
}

extension ObjectBase {
    /// Takes the linked objects out of the properties of an unmanaged object that is being deinitialised, and releases them.
    /// Collections do the same in their `deinit`.
    final func kivoReleaseLinks() {
        let type = type(of: self)
        // A prototype is released without this.
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
