/// How a view differs from what it was: indexes of what left, in the old order, and of what came, in the new one, both
/// ascending. What moved is in both.
public struct ViewChange: Sendable, Equatable {
    /// Indexes in the old order of what left.
    public var deletions: [Int] = []
    /// Indexes in the new order of what came.
    public var insertions: [Int] = []
    /// In views of plain values, indexes in the new order of those that stayed where they are and were assigned. What
    /// became of objects is not the view's to say.
    public var modifications: [Int] = []

    /// No difference.
    public init() {}

    /// Whether everything is where it was.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}
