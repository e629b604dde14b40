import Kivo

/// How elements are divided into sections.
package struct SectionDivision<Key: _Persistable & Hashable, Element: RealmFetchable> {
    /// The key path that the elements are sorted by if no order is given.
    private let keyPath: String?
    let divide: (Results<Element>, [SortDescriptor]) -> SectionedResults<Key, Element>

    /// Sections of equal keys that a closure makes.
    package static func block(_ block: @escaping (Element) -> Key) -> SectionDivision {
        SectionDivision(keyPath: nil, block)
    }

    /// The results are frozen before they are divided, so that the closure is called on the main actor only.
    private init(keyPath: String?, _ block: @escaping (Element) -> Key) {
        self.keyPath = keyPath
        divide = { $0.sectioned(by: block, sortDescriptors: $1) }
    }

    /// The order that is declared, or that of the keys. Traps if there is neither.
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
    /// Sections of equal values of a property, which can be computed from one that is persisted.
    package static func property(_ keyPath: KeyPath<Element, Key>) -> SectionDivision {
        SectionDivision(keyPath: _name(for: keyPath)) { $0[keyPath: keyPath] }
    }
}

extension SectionDivision where Element: ProjectionObservable {
    /// Sections of equal values of a property of projections.
    package static func shown(_ keyPath: KeyPath<Element, Key>) -> SectionDivision {
        let names = Element._rootKeyPaths(keyPath)
        return SectionDivision(keyPath: names.count == 1 ? names[0] : nil) { $0[keyPath: keyPath] }
    }
}
