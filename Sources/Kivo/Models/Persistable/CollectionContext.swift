/// The context of a collection's elements, which converts keys to objects and objects to keys.
public struct CollectionContext {
    /// The realm; nil for an unmanaged collection.
    let instance: RealmInstance?
    /// The table of the elements, if they are objects.
    let elements: TableContext?

    /// The context of an unmanaged collection.
    static var unmanaged: CollectionContext { CollectionContext(instance: nil, elements: nil) }

    /// The table of the elements. Traps if the elements are not objects: a collection that is accessed by name may contain plain
    /// values.
    @inline(__always) var classOfElements: TableContext {
        if let elements { return elements }
        trap("The collection holds plain values, no objects: read it by its property's name, 'object[…]'.")
    }

    init(instance: RealmInstance?, elements: TableContext?) {
        self.instance = instance
        self.elements = elements
    }
}
