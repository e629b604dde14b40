import Foundation
import Kivo

/// One change of a property, as a key-value observer received it or as a test expects it.
///
///     .setting("age", from: 1, to: 2)
///     .insertion("marks", at: [0, 1], of: [10, 20])
///     .prior(.removal("marks", at: [0]))
///
/// An expected change is compared only by the parts that it has.
public struct KeyValueChange {
    /// The key path as it was registered; nil if it has no name or is not compared.
    public let keyPath: String?
    /// The kind of the change.
    public let kind: NSKeyValueChange
    /// The positions of the affected elements of a list: after the change for insertions, before it otherwise.
    public let indexes: IndexSet?
    /// The value before the change, or the removed elements. `NSNull` stands for the value nil; nil means that there is no old
    /// value.
    public let oldValue: Any?
    /// The value after the change, or the inserted elements. `NSNull` stands for the value nil; nil means that there is no new
    /// value.
    public let newValue: Any?
    /// A Boolean value that indicates whether this is the notification before the change.
    public let isPrior: Bool

    init(
        _ keyPath: String?, _ kind: NSKeyValueChange, at indexes: IndexSet? = nil, old: Any? = nil,
        new: Any? = nil, isPrior: Bool = false
    ) {
        self.keyPath = keyPath
        self.kind = kind
        self.indexes = indexes
        oldValue = old
        newValue = new
        self.isPrior = isPrior
    }
}

extension KeyValueChange {
    /// The property changed, from any value to any other.
    public static func setting(_ keyPath: String? = nil) -> Self { Self(keyPath, .setting) }

    /// The property changed from a certain value to any other.
    public static func setting(_ keyPath: String? = nil, from oldValue: Any?) -> Self {
        Self(keyPath, .setting, old: oldValue ?? NSNull())
    }

    /// The property changed to a certain value.
    public static func setting(_ keyPath: String? = nil, to newValue: Any?) -> Self {
        Self(keyPath, .setting, new: newValue ?? NSNull())
    }

    /// The property changed from one certain value to another.
    public static func setting(_ keyPath: String? = nil, from oldValue: Any?, to newValue: Any?) -> Self {
        Self(keyPath, .setting, old: oldValue ?? NSNull(), new: newValue ?? NSNull())
    }

    /// Elements were inserted into a collection.
    ///
    /// - Parameters:
    ///   - keyPath: the collection's property.
    ///   - indexes: the positions of the elements after the change.
    ///   - elements: the elements, in the order of their positions.
    public static func insertion(
        _ keyPath: String? = nil, at indexes: IndexSet? = nil, of elements: [Any?]? = nil
    ) -> Self {
        Self(keyPath, .insertion, at: indexes, new: elements)
    }

    /// Elements were removed from a collection.
    ///
    /// - Parameters:
    ///   - keyPath: the collection's property.
    ///   - indexes: the positions of the elements before the change.
    ///   - elements: the elements, in the order of their positions.
    public static func removal(
        _ keyPath: String? = nil, at indexes: IndexSet? = nil, of elements: [Any?]? = nil
    ) -> Self {
        Self(keyPath, .removal, at: indexes, old: elements)
    }

    /// Elements of a collection were replaced.
    ///
    /// - Parameters:
    ///   - keyPath: the collection's property.
    ///   - indexes: the positions of the elements.
    ///   - oldElements: the elements before the change, in the order of their positions.
    ///   - newElements: the elements after the change.
    public static func replacement(
        _ keyPath: String? = nil, at indexes: IndexSet? = nil, of oldElements: [Any?]? = nil,
        by newElements: [Any?]? = nil
    ) -> Self {
        Self(keyPath, .replacement, at: indexes, old: oldElements, new: newElements)
    }

    /// The notification before a change, which comes first with the `prior` option.
    public static func prior(_ change: Self) -> Self {
        Self(
            change.keyPath, change.kind, at: change.indexes, old: change.oldValue, new: change.newValue,
            isPrior: true)
    }
}

extension KeyValueChange {
    /// Whether a recorded change matches this expected one.
    func isMet(by recorded: Self) -> Bool {
        kind == recorded.kind && isPrior == recorded.isPrior
            && (keyPath == nil || keyPath == recorded.keyPath)
            && (indexes == nil || indexes == recorded.indexes)
            && Self.isMet(oldValue, by: recorded.oldValue) && Self.isMet(newValue, by: recorded.newValue)
    }

    private static func isMet(_ expected: Any?, by recorded: Any?) -> Bool {
        guard let expected else { return true }
        guard let recorded else { return false }
        return ObservedValue(expected) == ObservedValue(recorded)
    }
}

extension KeyValueChange {
    /// Whether a value has the same text as the other change's, but is not equal to it.
    func isLookalike(of other: Self) -> Bool {
        [(oldValue, other.oldValue), (newValue, other.newValue)].contains { value, other in
            guard let value, let other else { return false }
            return ObservedValue(value).isLookalike(of: ObservedValue(other))
        }
    }
}

extension KeyValueChange: CustomStringConvertible {
    /// The change, as a test would write it.
    public var description: String { text() }

    /// Returns the change as a test would write it.
    ///
    /// - Parameters:
    ///   - isNamed: whether the key path is written.
    ///   - isDetailed: whether to add to values what distinguishes them from others with the same text.
    func text(isNamed: Bool = true, isDetailed: Bool = false) -> String {
        let isSetting = kind == .setting
        var parts: [String] = []
        if isNamed, let keyPath { parts.append(keyPath.debugDescription) }
        if let indexes {
            parts.append("at: [" + indexes.map { "\($0)" }.joined(separator: ", ") + "]")
        }
        if let oldValue {
            parts.append((isSetting ? "from: " : "of: ") + ObservedValue(oldValue).text(isDetailed))
        }
        if let newValue {
            let label = isSetting ? "to: " : kind == .insertion ? "of: " : "by: "
            parts.append(label + ObservedValue(newValue).text(isDetailed))
        }
        let text = ".\(name)(\(parts.joined(separator: ", ")))"
        return isPrior ? ".prior(\(text))" : text
    }

    private var name: String {
        switch kind {
        case .setting: "setting"
        case .insertion: "insertion"
        case .removal: "removal"
        case .replacement: "replacement"
        #if canImport(ObjectiveC)
        @unknown default: "change"
        #endif
        }
    }
}
