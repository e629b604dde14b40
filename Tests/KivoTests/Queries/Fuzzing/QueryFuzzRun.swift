import Dispatch
import Foundation
import Kivo

extension QueryFuzz {
    /// An observed collection and what its observer last saw.
    final class Watch {
        let text: String
        let expected: (World) -> [Int]
        let build: (Style) -> Answer?
        let answer: Answer
        let keyPaths: [[Int]]
        let names: [String]
        let hasDuplicates: Bool
        let isReplacing: Bool
        let isPlain: Bool
        /// Whether it follows recorded operations: a list or set that is observed itself.
        var isRecorded = false
        var token: NotificationToken?
        var last: [Int]?
        var since = 0
        var type = Class.thing

        /// Whether the owner of the collection is gone.
        var isInvalidated: Bool { build(.text) == nil }

        init(
            _ text: String, _ answer: Answer, _ keyPaths: [[Int]], _ names: [String], hasDuplicates: Bool,
            isReplacing: Bool, isPlain: Bool, expected: @escaping (World) -> [Int],
            build: @escaping (Style) -> Answer?
        ) {
            (self.text, self.answer, self.keyPaths, self.names) = (text, answer, keyPaths, names)
            (self.hasDuplicates, self.isReplacing, self.isPlain) = (hasDuplicates, isReplacing, isPlain)
            (self.expected, self.build) = (expected, build)
        }

        /// Whether a modification of an element is expected; nil if it may be modified.
        func isModified(_ id: Int, _ world: World, _ happened: Happened) -> Bool? {
            if isPlain { return false }
            if keyPaths.isEmpty { return world.isModified(id, happened) }
            return world.any(keyPaths.map { world.isModified(id, $0[...], happened) })
        }
    }

    /// One realm with its observers and what happened to it so far.
    final class Run {
        let realm: Realm
        let configuration: Realm.Configuration
        let queue = DispatchQueue(label: "query fuzz")
        var generator: Generator
        var watches: [Watch] = []
        var log: [Event] = []
        var history: [String] = []
        private(set) var problem: String?
        var steps = 0
        private(set) var deliveries = 0
        private var depth = 0
        private var cached: (commit: Int, world: World)?
        /// How long the log was after each commit.
        private var commits = [0]

        init(_ configuration: Realm.Configuration, _ generator: Generator) throws {
            self.configuration = configuration
            self.generator = generator
            realm = try Realm(configuration: configuration)
        }

        var builder: Builder { Builder(realm: realm) }

        /// The commit that the realm shows: an observer can be notified of one before it shows the next one.
        private var shown: Int { QueryFuzzCommit.shown(by: realm) }

        /// The world that the realm shows, unless a write has changed it.
        var world: World {
            let shown = shown
            if let cached, cached.commit == shown { return cached.world }
            let world = World(realm)
            cached = (shown, world)
            return world
        }

        func fail(_ text: String, _ watch: Watch?) {
            guard problem == nil else { return }
            problem =
                "\(watch?.text ?? ""): \(text)\nstep \(steps): \(history.suffix(12).joined(separator: "\n"))"
        }

        // MARK: Writing

        func edits() -> [Edit] { (0...generator.random.below(6)).map { _ in Edit(&generator) } }

        func write(_ edits: [Edit], isSilent: Bool = false, isCancelled: Bool = false) throws {
            realm.beginWrite()
            let isChecked = depth == 0 && generator.random.chance(15)
            var events: [Event] = []
            for edit in edits {
                events += edit.make(in: realm)
                if isChecked { checkAnswers(World(realm), "in a write") }
            }
            history.append(
                "\(isSilent ? "silently " : "")\(isCancelled ? "cancelled " : "")\(depth > 0 ? "nested " : "")\(edits)"
            )
            if isCancelled { return realm.cancelWrite() }
            let silent = isSilent ? watches.filter { $0.last != nil && generator.random.chance(60) } : []
            QueryFuzzCommit.note(commits.count, in: realm)
            try realm.commitWrite(withoutNotifying: silent.compactMap(\.token))
            log += events
            commits.append(log.count)
            for watch in silent {
                watch.last = watch.expected(world)
                watch.since = log.count
            }
        }

        func writeElsewhere(_ edits: [Edit]) throws {
            history.append("elsewhere \(edits)")
            let configuration = configuration
            let (queue, number) = (queue, commits.count)
            log += try queue.sync {
                let realm = try Realm(configuration: configuration, queue: queue)
                return try realm.write {
                    let events = edits.flatMap { $0.make(in: realm) }
                    QueryFuzzCommit.note(number, in: realm)
                    return events
                }
            }
            commits.append(log.count)
        }

        // MARK: Delivery

        func settle() {
            for _ in 0..<20 where problem == nil {
                let before = commits.count
                realm.refresh()
                if commits.count == before { break }
            }
            let world = world
            for watch in watches {
                guard let last = watch.last else { fail("was not called first", watch); continue }
                let now = watch.expected(world)
                if last != now { fail("was not told of \(last) becoming \(now)", watch) }
                let happened = Happened(log[watch.since...])
                if let id = now.first(where: { watch.isModified($0, world, happened) == true }) {
                    fail("was not told that \(id) in \(now) is modified: \(log[watch.since...])", watch)
                }
                watch.since = log.count
            }
        }

        private func receive(_ change: Change, _ watch: Watch) {
            guard problem == nil else { return }
            deliveries += 1
            let (shown, world) = (shown, world)
            let now = watch.expected(world)
            let ids = watch.answer.ids()
            if ids != now {
                fail("shows \(ids), not \(now)", watch)
            }
            switch change {
            case .initial: if watch.last != nil { fail("was called first twice", watch) }
            case .update(let deletions, let insertions, let modifications, let current):
                guard let last = watch.last else { return fail("was not called first", watch) }
                // A collection that stays empty is also notified if its owner was deleted, or if it was filled and cleared.
                if last.isEmpty, now.isEmpty, watch.isRecorded || watch.isInvalidated { break }
                let happened = Happened(log[watch.since..<commits[shown]])
                let problem = QueryFuzz.problem(
                    last, now, (deletions, insertions, modifications, current),
                    hasDuplicates: watch.hasDuplicates, isReplacing: watch.isReplacing,
                    isModified: { watch.isModified($0, world, happened) })
                if let problem {
                    fail(
                        "\(problem): \(last) → \(now): -\(deletions) +\(insertions) ~\(modifications)", watch)
                }
            }
            (watch.last, watch.since) = (now, commits[shown])
            if generator.random.chance(25) { check(watch, world, "in a handler") }
            react()
        }

        private func react() {
            guard depth < 3, generator.random.chance(4), problem == nil, !realm.isInWriteTransaction else {
                return
            }
            depth += 1
            defer { depth -= 1 }
            do {
                if generator.random.chance(30) { try writeElsewhere(edits()) }
                try write(edits(), isSilent: generator.random.chance(25))
            } catch { fail("\(error)", nil) }
            if generator.random.chance(20) { _ = drop() }
        }

        // MARK: Observers

        func add(_ watch: Watch) {
            watches.append(watch)
            watch.token = watch.answer.observe(watch.names) { [unowned self, unowned watch] in
                receive($0, watch)
            }
            history.append("observe \(watch.text)")
        }

        /// Removes an observer.
        func drop() -> Bool {
            guard watches.count > 3 else { return false }
            let watch = watches.remove(at: generator.random.below(watches.count))
            watch.token?.invalidate()
            dropped.append(watch)
            return true
        }

        /// The removed observers: they must not be called any more, and have to outlive a call in progress.
        private var dropped: [Watch] = []

        // MARK: Checks

        func checkAnswers(_ world: World, _ place: String) {
            for _ in 0..<2 where !watches.isEmpty { check(generator.pick(watches), world, place) }
        }

        func check(_ watch: Watch, _ world: World, _ place: String) {
            guard problem == nil else { return }
            let expected = watch.expected(world)
            compare(watch.answer, expected, "\(place), observed", watch, world)
            for style in Style.allCases {
                guard let fresh = watch.build(style) else { continue }
                let ids = fresh.ids()
                if ids != expected {
                    fail("\(place), evaluated anew as \(style): \(ids), not \(expected)", watch)
                }
            }
            if !realm.isInWriteTransaction, generator.random.chance(20), let fresh = watch.build(.text),
                fresh.frozen() != expected
            {
                fail("\(place), frozen: not \(expected)", watch)
            }
            if let fresh = watch.build(generator.pick(Style.allCases)) {
                compare(fresh, expected, "\(place), evaluated anew", watch, world)
            }
        }

        private func compare(
            _ answer: Answer, _ expected: [Int], _ place: String, _ watch: Watch, _ world: World
        ) {
            if answer.count() != expected.count {
                fail("\(place): count \(answer.count()), not \(expected)", watch)
            }
            if answer.first() != expected.first { fail("\(place): first is not that of \(expected)", watch) }
            if answer.last() != expected.last { fail("\(place): last is not that of \(expected)", watch) }
            if answer.ids() != expected { fail("\(place): \(answer.ids()), not \(expected)", watch) }
            guard problem == nil, !expected.isEmpty else { return }
            let position = generator.random.below(expected.count)
            if answer.at(position) != expected[position] {
                fail("\(place): [\(position)] of \(expected)", watch)
            }
            let id = expected[position]
            if answer.index(id) != expected.firstIndex(of: id) {
                fail(
                    "\(place): index of \(id) is \(String(describing: answer.index(id))) in \(expected)",
                    watch)
            }
            guard !watch.isPlain else { return }
            checkAggregates(answer, expected, place, watch, world)
            let tree = generator.tree(watch.type, depth: 1)
            let first = expected.firstIndex { world.holds(tree, world.byID[$0]!) }
            for style in Style.allCases {
                guard let index = answer.matching(tree, style), index != first else { continue }
                var writer = Writer(isFancy: false) { _ in QueryFuzzThing() }
                let text = "\(writer.text(tree)) \(writer.texts)"
                fail(
                    "\(place): as \(style) \(text) is at \(String(describing: index)) in \(expected)", watch)
            }
        }

        private func checkAggregates(
            _ answer: Answer, _ expected: [Int], _ place: String, _ watch: Watch, _ world: World
        ) {
            let found = answer.aggregates()
            guard !found.isEmpty else { return }
            let properties = ["int", "optInt", "double", "optDouble", "date"]
            let wanted = properties.flatMap { name -> [Value] in
                let index = QueryFuzz.index(name, .thing)
                let values = expected.map { world.byID[$0]!.cells[index][0] }
                let functions: [Function] = name == "date" ? [.min, .max] : [.min, .max, .sum, .avg]
                return functions.map { world.result($0, values) }
            }
            if !zip(found, wanted).allSatisfy({ Value.compare($0, $1) == 0 }) {
                fail("\(place): aggregates \(found), not \(wanted)", watch)
            }
        }
    }
}
