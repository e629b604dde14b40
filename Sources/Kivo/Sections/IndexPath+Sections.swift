#if !canImport(Darwin)
import Foundation

/// The members for index paths of two indexes that Apple's user interface frameworks add on their platforms.
extension IndexPath {
    /// Creates the index path of an element of a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// Creates the index path of a row of a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// The index of the section: the first of the two indexes.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The index of the element in its section: the second of the two indexes.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The index of the row in its section: the second of the two indexes.
    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
#endif
