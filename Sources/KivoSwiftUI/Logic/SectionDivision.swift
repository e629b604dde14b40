import Kivo

/// A division of elements into sections.
package struct SectionDivision<Key: _Persistable & Hashable, Element: RealmFetchable> {
    /// The key path by which the elements are sorted if no order is given.
    private let keyPath: String?
    let divide: (Results<Element>, [SortDescriptor]) -> SectionedResults<Key, Element>

    /// Creates a division into sections of equal keys that a closure returns.
    package static func block(_ block: @escaping (Element) -> Key) -> SectionDivision {
        SectionDivision(keyPath: nil, block)
    }

    /// The results are frozen before they are divided, so that the closure is called only on the main actor.
    private init(keyPath: String?, _ block: @escaping (Element) -> Key) {
        self.keyPath = keyPath
        divide = { $0.sectioned(by: block, sortDescriptors: $1) }
    }

    /// Returns the declared order, or that of the keys. Traps if there is neither.
    package func order(_ declared: [SortDescriptor]) -> [SortDescriptor] {
        if !declared.isEmpty { return declared }
        guard let keyPath else {
            fatalError(
                """
                Sections of '\(Element.className())' by a block need an order: give 'sortDescriptors:' to \
                '@ObservedSectionedResults'.
                """)
        }
        return [SortDescriptor(keyPath: keyPath)]
    }
}

extension SectionDivision where Element: ObjectBase {
    /// Creates a division into sections of equal values of a property, which can be computed from a persisted one.
    package static func property(_ keyPath: KeyPath<Element, Key>) -> SectionDivision {
        SectionDivision(keyPath: _name(for: keyPath)) { $0[keyPath: keyPath] }
    }
}

extension SectionDivision where Element: ProjectionObservable {
    /// Creates a division into sections of equal values of a property of projections.
    package static func shown(_ keyPath: KeyPath<Element, Key>) -> SectionDivision {
        let names = Element._rootKeyPaths(keyPath)
        return SectionDivision(keyPath: names.count == 1 ? names[0] : nil) { $0[keyPath: keyPath] }
    }
}
