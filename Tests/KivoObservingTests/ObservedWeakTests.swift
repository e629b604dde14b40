import Foundation
import KivoObserving
import Observation
import XCTest

private protocol Parenthood: AnyObject {
    var name: String { get }
}

private class Node: KeyValueObservable, Parenthood {
    @Observed var name: String
    @Observed var children: [Node] = []
    @ObservedWeak var parent: Node?
    @ObservedWeak var delegate: (any Parenthood)?
    var path: String { (parent.map { $0.path + "/" } ?? "") + name }
    var top: Node { parent?.top ?? self }

    init(_ name: String = "", children: [Node] = []) {
        self.name = name
        self.children = children
        for child in children { child.parent = self }
    }
}

/// Properties that refer to an object without holding it.
final class ObservedWeakTests: XCTestCase {
    func testObserversReceiveTheObjects() {
        let (child, first, second, recorder) = (Node(), Node("a"), Node("b"), Recorder())
        var typed: [String] = []
        let token = child.observe(\.parent, options: [.initial, .old, .new, .prior]) { _, change in
            let (old, new) = (change.oldValue??.name ?? "nil", change.newValue??.name ?? "nil")
            typed.append("\(old) \(new)\(change.isPrior ? " prior" : "")")
        }
        child.addObserver(recorder, forKeyPath: "parent", options: [.old, .new])
        child.parent = first
        child.parent = second
        child.parent = nil
        token.invalidate()
        child.removeObserver(recorder, forKeyPath: "parent")
        child.parent = first
        XCTAssertEqual(
            typed,
            ["nil nil", "nil nil prior", "nil a", "a nil prior", "a b", "b nil prior", "b nil"])
        XCTAssertEqual(recorder.notices.map { ($0.old as? Node)?.name }, [nil, "a", "b"])
        XCTAssertEqual(recorder.notices.map { ($0.new as? Node)?.name }, ["a", "b", nil])
        XCTAssertTrue(child.parent === first)
    }

    func testSeveralObserversOfOneProperty() {
        let (child, parent) = (Node(), Node("a"))
        var names: [String?] = []
        let tokens = (0..<3).map { _ in
            child.observe(\.parent, options: [.old, .new]) { names.append($1.newValue!?.name) }
        }
        child.parent = parent
        child.parent = nil
        XCTAssertEqual(names, ["a", "a", "a", nil, nil, nil])
        tokens.forEach { $0.invalidate() }
    }

    func testAProtocolOfClasses() {
        let (child, parent) = (Node(), Node("a"))
        var names: [String?] = []
        let token = child.observe(\.delegate, options: [.old, .new]) {
            names += [$1.oldValue!?.name, $1.newValue!?.name]
        }
        child.delegate = parent
        child.delegate = nil
        XCTAssertEqual(names, [nil, "a", "a", nil])
        token.invalidate()
    }

    func testTheObjectIsNotHeld() {
        let child = Node()
        weak var released: Node?
        var notices = 0
        let tokens = [
            child.observe(\.parent, options: [.old, .new]) { _, _ in notices += 1 },
            child.observe(\.parent?.name, options: [.old, .new]) { _, _ in notices += 1 },
            child.observe(\.path, options: [.old, .new]) { _, _ in notices += 1 },
        ]
        do {
            let parent = Node("a")
            released = parent
            child.parent = parent
            XCTAssertEqual(notices, 3)
            parent.name = "b"
            XCTAssertEqual(notices, 5)
        }
        // As in Cocoa, the end of the object is not notified.
        XCTAssertNil(released)
        XCTAssertNil(child.parent)
        XCTAssertNil(child.value(forKey: "parent"))
        XCTAssertEqual(notices, 5)
        child.name = "c"
        XCTAssertEqual(notices, 6)
        let second = Node("d")
        child.parent = second
        XCTAssertEqual(notices, 9)
        second.name = "e"
        XCTAssertEqual(notices, 11)
        tokens.forEach { $0.invalidate() }
        second.name = "f"
        XCTAssertEqual(notices, 11)
    }

    func testAPathLeadsThroughIt() {
        let (child, recorder) = (Node("c"), Recorder())
        var names: [String?] = []
        let token = child.observe(\.parent?.parent?.name, options: [.old, .new]) {
            names += [$1.oldValue!, $1.newValue!]
        }
        child.addObserver(recorder, forKeyPath: "parent.parent.name", options: .new)
        let middle = Node("b", children: [child])
        let top = Node("a", children: [middle])
        top.name = "A"
        middle.parent = nil
        top.name = "B"
        middle.parent = top
        XCTAssertEqual(names, [nil, nil, nil, "a", "a", "A", "A", nil, nil, "B"])
        XCTAssertEqual(recorder.notices.map { $0.new as? String? }, [nil, "a", "A", nil, "B"])
        token.invalidate()
        child.removeObserver(recorder, forKeyPath: "parent.parent.name")
    }

    func testAComputedPropertyDependsOnIt() {
        let leaf = Node("leaf")
        let root = Node("root", children: [leaf])
        var paths: [String] = []
        let token = leaf.observe(\.path, options: .new) { paths.append($1.newValue!) }
        root.name = "r"
        let other = Node("other", children: [root])
        leaf.name = "l"
        other.name = "o"
        leaf.parent = other
        root.name = "nobody"
        XCTAssertEqual(paths, ["r/leaf", "other/r/leaf", "other/r/l", "o/r/l", "o/l"])
        token.invalidate()
    }

    /// Trees whose leaves observe what is above them end with the last reference from outside, although the tokens are held.
    func testObservedTreesEnd() {
        var tokens: [KeyValueObservation] = []
        weak var leaf: Node?
        do {
            let node = Node("leaf")
            leaf = node
            let root = Node("root", children: [Node("branch", children: [node])])
            tokens = [
                node.observe(\.parent?.parent?.name) { _, _ in },
                node.observe(\.parent?.name) { _, _ in },
                node.observe(\.path) { _, _ in },
                // Behind a weak property nothing is held: the children of the root lead back to the leaf.
                node.observe(\.parent?.parent?.children) { _, _ in },
            ]
            root.name = "r"
            XCTAssertEqual(node.path, "r/branch/leaf")
        }
        XCTAssertNil(leaf)
        tokens.forEach { $0.invalidate() }
    }

    private final class Root: KeyValueObservable {
        @Observed var name = "root"
        var branches: [Branch] = []
    }

    private final class Branch: KeyValueObservable {
        let root: Root
        var leaves: [Leaf] = []
        init(_ root: Root) { self.root = root }
    }

    private final class Leaf: KeyValueObservable {
        @ObservedWeak var branch: Branch?
    }

    /// What is behind a weak property is held by nobody but its object, also if it is a constant.
    func testConstantsBehindItAreNotHeld() {
        var names: [String?] = []
        var tokens: [KeyValueObservation] = []
        weak var root: Root?
        do {
            let (made, leaf) = (Root(), Leaf())
            root = made
            made.branches = [Branch(made)]
            made.branches[0].leaves = [leaf]
            leaf.branch = made.branches[0]
            tokens.append(leaf.observe(\.branch?.root.name, options: .new) { names.append($1.newValue!) })
            made.name = "r"
            made.branches = []
        }
        XCTAssertEqual(names, ["r"])
        XCTAssertNil(root)
        tokens.forEach { $0.invalidate() }
    }

    private final class Fragile: KeyValueObservable {
        @Observed var name = "a"
        var onRead: (() -> Void)?
        var label: String {
            onRead?()
            return name
        }
    }

    private final class Watcher: KeyValueObservable {
        @ObservedWeak var target: Fragile?
        var held: Fragile?
    }

    /// The last reference ends while the path is read for the first time, at each of the moments at which user code runs.
    func testTheObjectEndsWhileItIsObserved() {
        for moment in 1...12 {
            let watcher = Watcher()
            var reads = 0
            do {
                let fragile = Fragile()
                fragile.onRead = {
                    reads += 1
                    if reads == moment { watcher.held = nil }
                }
                (watcher.held, watcher.target) = (fragile, fragile)
            }
            var labels: [String?] = []
            let token = watcher.observe(\.target?.label, options: [.old, .new]) {
                labels.append($1.newValue!)
            }
            watcher.held?.name = "b"
            let next = Fragile()
            watcher.target = next
            next.name = "c"
            XCTAssertEqual(labels.suffix(2), ["a", "c"], "\(moment)")
            watcher.target?.onRead = nil
            token.invalidate()
        }
    }

    func testValuesByName() {
        let (child, parent) = (Node(), Node("a"))
        var notices = 0
        let token = child.observe(\.parent) { _, _ in notices += 1 }
        child.setValue(parent, forKey: "parent")
        XCTAssertTrue(child.value(forKey: "parent") as? Node === parent)
        XCTAssertEqual(child.value(forKeyPath: "parent.name") as? String, "a")
        child.setValue(parent, forKey: "delegate")
        XCTAssertTrue(child.delegate === parent)
        child.setValue(nil, forKey: "parent")
        child.setValue(NSNull(), forKey: "delegate")
        XCTAssertNil(child.parent)
        XCTAssertNil(child.delegate)
        XCTAssertEqual(notices, 2)
        token.invalidate()
    }

    func testReadsAreTracked() throws {
        guard #available(macOS 14, iOS 17, *) else { throw XCTSkip("No Observation") }
        final class Tracked: KeyValueObservable, Observable {
            @ObservedWeak var parent: Node?
        }
        let (child, parent) = (Tracked(), Node("a"))
        let change = expectation(description: "change")
        withObservationTracking {
            _ = child.parent
        } onChange: {
            change.fulfill()
        }
        child.parent = parent
        wait(for: [change], timeout: 10)
    }

    /// The last reference to an object, which any thread may release.
    private struct LastReference: @unchecked Sendable {
        let node: Unmanaged<Node>
    }

    /// Another thread releases the object to which a path leads, while the path is read.
    func testTheObjectIsReleasedByAnotherThread() {
        let child = Node("c")
        let token = child.observe(\.parent?.name, options: [.old, .new]) { _, _ in }
        for _ in 0..<300 {
            let parent = LastReference(node: .passRetained(Node("a")))
            child.parent = parent.node.takeUnretainedValue()
            let released = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                parent.node.release()
                released.signal()
            }
            for _ in 0..<20 {
                child.willChangeValue(for: \.parent)
                _ = child.value(forKeyPath: "parent.name")
                child.didChangeValue(for: \.parent)
            }
            released.wait()
            XCTAssertNil(child.parent)
        }
        token.invalidate()
    }
}
