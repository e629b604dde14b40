import Foundation
import Kivo

/// One change of a property, as a key-value observer was told of it or as a test expects it.
///
///     .setting("age", from: 1, to: 2)
///     .insertion("marks", at: [0, 1], of: [10, 20])
///     .prior(.removal("marks", at: [0]))
///
/// What an expected change leaves out is not compared.
public struct KeyValueChange {
    /// The key path as it was registered; nil if it has no name or is not compared.
    public let keyPath: String?
    /// What kind of change it is.
    public let kind: NSKeyValueChange
    /// The positions of the affected elements of a list: after the change for insertions, before it
    /// otherwise.
    public let indexes: IndexSet?
    /// The value before the change, or the elements that left; `NSNull` if that is nil, nil if it is not
    /// there.
    public let oldValue: Any?
    /// The value after the change, or the elements that came; `NSNull` if that is nil, nil if it is not
    /// there.
    public let newValue: Any?
    /// Whether this is the notification before the change.
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
    /// The property got another value, whichever.
    public static func setting(_ keyPath: String? = nil) -> Self { Self(keyPath, .setting) }

    /// The property got another value than a certain one.
    public static func setting(_ keyPath: String? = nil, from oldValue: Any?) -> Self {
        Self(keyPath, .setting, old: oldValue ?? NSNull())
    }

    /// The property got a certain value.
    public static func setting(_ keyPath: String? = nil, to newValue: Any?) -> Self {
        Self(keyPath, .setting, new: newValue ?? NSNull())
    }

    /// The property had one value and got another.
    public static func setting(_ keyPath: String? = nil, from oldValue: Any?, to newValue: Any?) -> Self {
        Self(keyPath, .setting, old: oldValue ?? NSNull(), new: newValue ?? NSNull())
    }

    /// Elements came into a collection.
    ///
    /// - Parameters:
    ///   - keyPath: the collection's property.
    ///   - indexes: where the elements are now.
    ///   - elements: the elements, in the order of their positions.
    public static func insertion(
        _ keyPath: String? = nil, at indexes: IndexSet? = nil, of elements: [Any?]? = nil
    ) -> Self {
        Self(keyPath, .insertion, at: indexes, new: elements)
    }

    /// Elements left a collection.
    ///
    /// - Parameters:
    ///   - keyPath: the collection's property.
    ///   - indexes: where the elements were.
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
    ///   - indexes: the positions.
    ///   - oldElements: the elements that were there, in the order of their positions.
    ///   - newElements: the elements that are there now.
    public static func replacement(
        _ keyPath: String? = nil, at indexes: IndexSet? = nil, of oldElements: [Any?]? = nil,
        by newElements: [Any?]? = nil
    ) -> Self {
        Self(keyPath, .replacement, at: indexes, old: oldElements, new: newElements)
    }

    /// The notification before a change, which comes first when the `prior` option is given.
    public static func prior(_ change: Self) -> Self {
        Self(
            change.keyPath, change.kind, at: change.indexes, old: change.oldValue, new: change.newValue,
            isPrior: true)
    }
}

extension KeyValueChange {
    /// Whether a recorded change is the one that is expected here.
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
    /// Whether a value looks like the one of another change, and is not equal to it.
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

    /// The change, as a test would write it.
    ///
    /// - Parameters:
    ///   - isNamed: whether the key path is written.
    ///   - isDetailed: whether values are written with what tells them apart from others that look the same.
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
