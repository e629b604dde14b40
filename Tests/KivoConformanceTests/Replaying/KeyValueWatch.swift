import Foundation
import Kivo

/// One call of a key-value observer.
struct KeyValueCall: Equatable {
    /// Nil if the record has none.
    var kind: NSKeyValueChange?
    var indexes: [Int]?
    /// Nil if the record has none; JSON's null for the null marker.
    var old: JSONValue?
    var new: JSONValue?
    /// The contents of the object during the call, or nil if it could not be read.
    var contents: JSONValue?
    /// The complaints about the call as such.
    var oddities: [String] = []
}

/// The changes of one property: the calls of its observer, and the contents.
struct PropertyStory {
    var name: String
    /// The contents around the change; nil if they could not be read. Objects that are gone by the end appear
    /// as such in both.
    var before: JSONValue?
    var after: JSONValue?
    var calls: [KeyValueCall]
}

/// The changes of one object.
struct ObjectStory {
    var className: String
    var id: Int
    var properties: [PropertyStory]
}

/// Observes an object: all of its properties and whether it is invalidated, each with an observer of its own.
struct ObjectWatch {
    private let subject: KeyValueSubject
    private let watches: [PropertyWatch]

    /// Starts.
    init(_ subject: KeyValueSubject) {
        self.subject = subject
        watches = subject.observableProperties.map { PropertyWatch($0, of: subject.object) }
    }

    var isSilent: Bool { watches.allSatisfy(\.isSilent) }

    /// Forgets the calls so far.
    func startOver() {
        for watch in watches { watch.startOver() }
    }

    /// Removes the observers, and returns the calls that they received.
    func end() -> ObjectStory {
        ObjectStory(className: subject.className, id: subject.id, properties: watches.map { $0.end() })
    }
}

/// The observer of one property of one object.
private final class PropertyWatch: KeyValueObserver {
    /// A call as it came. It is put into a scenario's words when it is clear which objects are gone.
    private struct RawCall {
        var change: [NSKeyValueChangeKey: Any]
        var contents: Any?
        var oddities: [String]
    }

    private let property: KeyValueSubject.Property
    private let object: Object
    private var before: Any?
    private var calls: [RawCall] = []

    init(_ property: KeyValueSubject.Property, of object: Object) {
        self.property = property
        self.object = object
        before = property.value()
        object.addObserver(self, forKeyPath: property.name, options: [.old, .new])
    }

    var isSilent: Bool { calls.isEmpty }

    func startOver() {
        calls = []
        before = property.value()
    }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        var oddities: [String] = []
        if keyPath != property.name { oddities.append("key path \(keyPath ?? "nil")") }
        if object as AnyObject? !== self.object { oddities.append("another object") }
        if context != nil { oddities.append("a context") }
        if change == nil { oddities.append("no record") }
        if change?[.notificationIsPriorKey] != nil { oddities.append("a notice before the change") }
        calls.append(RawCall(change: change ?? [:], contents: property.value(), oddities: oddities))
    }

    func end() -> PropertyStory {
        object.removeObserver(self, forKeyPath: property.name)
        return PropertyStory(
            name: property.name, before: before.flatMap(property.json), after: property.contents,
            calls: calls.map(translated))
    }

    private func translated(_ raw: RawCall) -> KeyValueCall {
        var call = KeyValueCall(contents: raw.contents.flatMap(property.json), oddities: raw.oddities)
        call.kind = (raw.change[.kindKey] as? UInt).flatMap(NSKeyValueChange.init(rawValue:))
        call.indexes = (raw.change[.indexesKey] as? IndexSet).map(Array.init)
        if let old = raw.change[.oldKey] { call.old = told(old, as: "old", oddities: &call.oddities) }
        if let new = raw.change[.newKey] { call.new = told(new, as: "new", oddities: &call.oddities) }
        return call
    }

    private func told(_ value: Any, as role: String, oddities: inout [String]) -> JSONValue? {
        let json = property.json(value)
        if json == nil { oddities.append("\(role) is a \(type(of: value))") }
        return json
    }
}
